/** Something that a prompt asks for and that the brain knows how to do. Names are those of the village, not of the prompt. */
export type Wish =
  | { readonly kind: 'go'; readonly placeId: string }
  | { readonly kind: 'use'; readonly placeId: string }
  | { readonly kind: 'find'; readonly agentId: string }
  | { readonly kind: 'greet'; readonly agentId: string }
  | { readonly kind: 'tell'; readonly agentId: string; readonly text: string }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'look' };

/** A part of a prompt: what it asks for, or that it could only be read. */
export type Reading = { readonly words: string; readonly wishes: readonly Wish[] };
