import type { DraftStep } from './draft-steps.ts'

/** The steps of a draft with what is done and what is missing. Each leads to its section of the page. */
export const DraftStepper = ({ steps }: { steps: readonly DraftStep[] }) => (
  <nav aria-label="Steps of the draft">
    <ol className="steps">
      {steps.map(({ id, title, isDone, words }, index) => (
        <li key={id} data-done={isDone === true}>
          <a href={`#draft-${id}`} className="link mantine-focus-auto">
            <span aria-hidden className="steps-mark">
              {isDone ? '✓' : index + 1}
            </span>
            {title}
          </a>
          <span className="steps-words">
            {isDone === null ? '' : isDone ? 'Done: ' : 'Open: '}
            {words}
          </span>
        </li>
      ))}
    </ol>
  </nav>
)
