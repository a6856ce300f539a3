/** The refusals of the world, each with a sentence for people and models. */
export const WORLD_REFUSALS = {
  no_such_agent: { status: 404, detail: 'no agent of this id is in the world: list the agents to find one' },
  world_full: { status: 409, detail: 'the world holds no more agents: wait until one has left' },
  not_awake: { status: 409, detail: 'the agent is asleep: awaken it first' },
  out_of_bounds: { status: 422, detail: 'this tile is outside of the world: choose one inside' },
  unreachable: { status: 422, detail: 'no path leads there: choose another place' },
  no_such_landmark: { status: 404, detail: 'no landmark has this id: choose one of GET /world' },
  no_free_slot: { status: 409, detail: 'every slot of this landmark is taken: try another place or wait' },
  slot_taken: { status: 409, detail: 'another agent occupies this slot or walks to it: choose another slot' },
  zone_locked: { status: 403, detail: 'the path leads into a zone that needs a higher tier: choose another place' },
  too_far: { status: 422, detail: 'the item is out of reach: walk next to it first' },
  item_not_here: { status: 404, detail: 'no item of this id lies in the world: choose one of GET /world' },
  inventory_full: { status: 409, detail: 'the agent cannot carry more items: drop something first' },
  not_holding: { status: 409, detail: 'the agent does not carry this item: pick it up first' },
  no_room_here: { status: 409, detail: 'another item lies on this tile: drop it elsewhere' },
  not_at_board: { status: 409, detail: 'the agent does not stand at the board: walk to it first' },
  nothing_to_use: {
    status: 422,
    detail: 'this action is not possible here or with a carried item: walk to a landmark that offers it',
  },
  text_empty: { status: 422, detail: 'the text is empty: say something' },
  text_too_long: { status: 422, detail: 'the text is longer than 280 characters: shorten it' },
  no_such_listener: { status: 404, detail: 'the agent spoken to is not in the world: name one that is' },
  out_of_earshot: { status: 422, detail: 'the agent spoken to is out of earshot: walk nearer first' },
  emote_too_soon: { status: 409, detail: 'the last emote is still showing: wait until it ends' },
} as const satisfies Record<string, { status: number; detail: string }>;
export type WorldRefusal = keyof typeof WORLD_REFUSALS;
