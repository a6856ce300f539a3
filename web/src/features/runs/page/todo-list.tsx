import { Icon } from '../../../ui/controls.tsx';
import { doneLabel, type TodoItem } from '../../permissions/todo.ts';

const WORDS: Readonly<Record<TodoItem['status'], string>> = {
  pending: 'to do',
  in_progress: 'under way',
  done: 'done',
};

/** The list that an agent keeps of its work in a run. */
export function TodoList({ items }: { readonly items: readonly TodoItem[] }) {
  if (items.length === 0) return null;
  return (
    <section className="todo" aria-label="Plan">
      <h2>
        Plan <small>{doneLabel(items)}</small>
      </h2>
      <TodoItems items={items} />
    </section>
  );
}

export function TodoItems({ items }: { readonly items: readonly TodoItem[] }) {
  return (
    <ol className="todo-items">
      {items.map(({ text, status }, index) => (
        <li key={index} data-status={status}>
          <span className="todo-mark" aria-hidden="true">
            {status === 'done' && <Icon name="check" size={12} />}
          </span>
          <span>
            {text} <span className="sr-only">({WORDS[status]})</span>
          </span>
        </li>
      ))}
    </ol>
  );
}
