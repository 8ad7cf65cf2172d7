import { Group, Text } from '@mantine/core'
import { linePointsOf, type LineValue } from './line-points.ts'

const box = { width: 600, height: 100 }

/** Values as a line, with its highest and lowest number, and where it begins and ends. The label says in words what it shows. */
export function Line({
  label,
  values,
  inWords,
  from,
  to,
  isSmall = false,
}: {
  label: string
  values: readonly LineValue[]
  inWords: (value: number) => string
  from: string
  to: string
  isSmall?: boolean
}) {
  const numbers = values.map(({ value }) => value)
  const [highest, lowest] = [inWords(Math.max(...numbers)), inWords(Math.min(...numbers))]
  return (
    <div>
      <Group gap="xs" wrap="nowrap" align="stretch">
        <div className="scale">
          <span>{highest}</span>
          {highest !== lowest && <span>{lowest}</span>}
        </div>
        <svg
          className="line"
          data-small={isSmall}
          viewBox={`0 -4 ${box.width} ${box.height + 8}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
        >
          <polyline
            points={linePointsOf(values, box)
              .map(({ x, y }) => `${x},${y}`)
              .join(' ')}
          />
        </svg>
      </Group>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {from}
        </Text>
        <Text size="xs" c="dimmed">
          {to}
        </Text>
      </Group>
    </div>
  )
}
