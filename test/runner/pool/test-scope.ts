/**
 * Gives node:test another way to find the test to which an error, a hook or a nested test belongs: AsyncLocalStorage. Its
 * own way is a hook that runs for each promise and socket, at a tenth of a worker's processor time. Loaded before node:test,
 * which reads these exports once.
 */
const hooks = process.getBuiltinModule('node:async_hooks');
const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } = hooks;

const scope = new AsyncLocalStorage<number>();
/** The callbacks of node:test's hook, called here for its tests alone. Mutable because node:test creates its hook when it starts. */
let callbacks: Parameters<typeof createHook>[0] = {};

/** The base of a test: its functions run with its id in their scope. */
class ScopedResource extends AsyncResource {
  constructor(...args: ConstructorParameters<typeof AsyncResource>) {
    super(...args);
    callbacks.init?.(this.asyncId(), args[0], this.triggerAsyncId(), this);
  }

  override runInAsyncScope<This, Result>(
    work: (this: This, ...args: unknown[]) => Result,
    self?: This,
    ...args: unknown[]
  ): Result {
    return super.runInAsyncScope(() => scope.run(this.asyncId(), () => Reflect.apply(work, self, args)));
  }
}

Object.assign(hooks, {
  AsyncResource: ScopedResource,
  executionAsyncId: () => scope.getStore() ?? executionAsyncId(),
  createHook: (given: typeof callbacks) => {
    callbacks = given;
    return { enable: () => undefined, disable: () => undefined };
  },
});
process.getBuiltinModule('node:test');
Object.assign(hooks, { AsyncResource, executionAsyncId, createHook });
