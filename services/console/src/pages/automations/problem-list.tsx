import { Alert, List } from '@mantine/core'
import { areWarnings, colorOf, type GraphProblem } from './problems.ts'

/** Names problems, in the color of the worst one. Nothing if there is none. */
export function ProblemList({
  of,
  title,
  titleOfWarnings,
}: {
  of: readonly GraphProblem[]
  title: string
  /** the title, if there is nothing worse than warnings */
  titleOfWarnings: string
}) {
  if (of.length === 0) return null
  const isWarning = areWarnings(of)
  return (
    <Alert color={colorOf(isWarning)} title={isWarning ? titleOfWarnings : title}>
      <List size="sm">
        {of.map(({ text }) => (
          <List.Item key={text}>{text}</List.Item>
        ))}
      </List>
    </Alert>
  )
}
