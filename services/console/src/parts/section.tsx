import { Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { HasTabStop } from './moment.tsx'

/** Shows a part of a page that its user opened, and goes on from its title. Its section needs an `id`, for the room of the header. */
const goTo = (title: HTMLElement | null) => {
  title?.focus({ preventScroll: true })
  title?.closest('section')?.scrollIntoView({ block: 'start' })
}

/** A part of a page under its own title. `isPlain` leaves out the frame, for tables that have one. */
export function Section({
  title,
  about,
  actions,
  isPlain = false,
  id,
  takesFocus = false,
  children,
}: {
  title: string
  about?: ReactNode
  actions?: ReactNode
  isPlain?: boolean
  /** for a link to it from the same page */
  id?: string
  /** when it appears */
  takesFocus?: boolean
  children: ReactNode
}) {
  const content = (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Title order={2} size="h4" {...(takesFocus && { ref: goTo, tabIndex: -1 })}>
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {about && (
        <Text size="sm" c="dimmed" maw="46rem" component="div">
          {about}
        </Text>
      )}
      {children}
    </Stack>
  )
  return isPlain ? (
    <section aria-label={title} id={id}>
      {content}
    </section>
  ) : (
    <Card withBorder component="section" aria-label={title} id={id}>
      {content}
    </Card>
  )
}

/** Short facts, each with its name. Absent ones are left out. */
export const Facts = ({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <HasTabStop value>
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 3, xl: 4 }} spacing="sm" m={0}>
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Text>
          </div>
        ))}
    </SimpleGrid>
  </HasTabStop>
)
