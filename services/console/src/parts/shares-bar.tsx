import { Box, Group, Progress, Stack, Text } from '@mantine/core'
import { percent } from './words.ts'

export interface Share {
  name: string
  count: number
  /** a color of the theme, such as `green.7` */
  color: string
}

/** A whole and its parts. The legend says the same in words, so that no color is needed. */
export function SharesBar({
  label,
  shares,
  isSmall = false,
}: {
  label: string
  shares: readonly Share[]
  isSmall?: boolean
}) {
  const whole = shares.reduce((sum, { count }) => sum + Math.max(0, count), 0)
  const words = shares
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${name} ${count.toLocaleString('en')}`)
    .join(', ')
  return (
    <Stack gap={6}>
      <Progress.Root
        size={isSmall ? 10 : 24}
        radius="sm"
        miw={90}
        role="img"
        aria-label={`${label}: ${words || 'none yet'}`}
      >
        {shares.map(({ name, count, color }) => (
          <Progress.Section
            key={name}
            value={whole === 0 ? 0 : (Math.max(0, count) / whole) * 100}
            color={color}
            withAria={false}
          />
        ))}
      </Progress.Root>
      {!isSmall && (
        <Group gap="md">
          {shares.map(({ name, count, color }) => (
            <Group key={name} gap={6}>
              <Box w={12} h={12} bg={color} style={{ borderRadius: 3 }} aria-hidden />
              <Text size="sm">
                {name}: <b>{count.toLocaleString('en')}</b> ({percent(count, whole)})
              </Text>
            </Group>
          ))}
        </Group>
      )}
    </Stack>
  )
}
