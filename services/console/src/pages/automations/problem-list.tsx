import { Alert, List } from '@mantine/core'
import { colorOf, type GraphProblem } from './problems.ts'

/** Names problems, and below them warnings, each with their own title. Nothing if there is none. */
export function ProblemList({
  of,
  title,
  titleOfWarnings,
}: {
  of: readonly GraphProblem[]
  title: string
  titleOfWarnings: string
}) {
  return [false, true].map((isWarning) => {
    const texts = new Set(of.filter((one) => one.isWarning === isWarning).map(({ text }) => text))
    return (
      texts.size > 0 && (
        <Alert key={`${isWarning}`} color={colorOf(isWarning)} title={isWarning ? titleOfWarnings : title}>
          <List size="sm">
            {Array.from(texts, (text) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
        </Alert>
      )
    )
  })
}
