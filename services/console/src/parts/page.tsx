import { Box, Center, Group, Loader, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle, useTimeout } from '@mantine/hooks'
import { useState, type ReactNode } from 'react'
import { HasTabStop } from './moment.tsx'

/** The title of a page with what it is for, and its actions. */
export function Page({
  title,
  about,
  actions,
  children,
}: {
  title: string
  about?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}) {
  useDocumentTitle(`${title} – Lettergate console`)
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box flex="1 1 18rem" miw={0} style={{ overflowWrap: 'anywhere' }}>
          <Title order={1} size="h2">
            {title}
          </Title>
          {about && (
            <Text c="dimmed" maw="46rem">
              <HasTabStop value>{about}</HasTabStop>
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}

const lateMs = 5_000

/** Says after some seconds that the answer is not there yet. */
export function LateAnswer() {
  const [isLate, setLate] = useState(false)
  useTimeout(() => setLate(true), lateMs, { autoInvoke: true })
  return (
    isLate && (
      <Text size="sm" c="dimmed" p="xs">
        The service has not answered yet.
      </Text>
    )
  )
}

/** Shown while the first answer of a page is on its way. */
export const PageLoading = () => (
  <Stack gap="sm" role="status" aria-label="Loading">
    <Skeleton h={34} w={220} />
    <Skeleton h={18} w="60%" />
    <Skeleton h={160} mt="sm" />
    <LateAnswer />
  </Stack>
)

/** Shown while the program of a page is on its way. */
export const WholeLoading = () => (
  <Center h="60vh" role="status">
    <Stack align="center" gap="xs">
      <Group gap="sm">
        <Loader aria-hidden />
        <Text c="dimmed">The console is loading.</Text>
      </Group>
      <LateAnswer />
    </Stack>
  </Center>
)

/**
 * Says why a list is empty, what it is for, and what fills it. `action` makes its first entry; the page shows the same button
 * above the list as soon as there is one.
 */
export const Empty = ({ title, action, children }: { title: string; action?: ReactNode; children?: ReactNode }) => (
  <Stack align="center" gap={4} py="xl" px="md">
    <Text fw={600}>{title}</Text>
    {children && (
      <Text c="dimmed" ta="center" maw="34rem" component="div">
        {children}
      </Text>
    )}
    {action && <Box mt="xs">{action}</Box>}
  </Stack>
)
