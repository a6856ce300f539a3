/**
 * Run in a page before its own code: drawing calls of WebGL return at once, and the renderer has the name of a graphics card. Chromium
 * has no graphics card here: it would draw by the processor, for up to a second a frame, and the page would wait for it. All scripts,
 * layouts and uploads of a frame remain.
 */
export const WITHOUT_DRAWING = `
for (const context of [WebGLRenderingContext, WebGL2RenderingContext]) {
  const { prototype } = context;
  for (const name of ['drawElements', 'drawArrays', 'drawElementsInstanced', 'drawArraysInstanced', 'clear'])
    if (name in prototype) prototype[name] = () => undefined;
  const getParameter = prototype.getParameter;
  prototype.getParameter = function (name) {
    return name === 0x9246 ? 'A graphics card' : getParameter.call(this, name);
  };
}`;
