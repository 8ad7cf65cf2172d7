import { List, Text } from '@mantine/core'
import { PageLink } from '../../parts/link.tsx'
import { Page } from '../../parts/page.tsx'
import type { RunbookSummary } from './summary.ts'

const files = import.meta.glob<RunbookSummary>('../../../../../docs/runbooks/*.md', {
  query: '?summary', // vite.config.ts makes it
  import: 'default',
  eager: true,
})

/** All runbooks by name, each with what it is about. */
export default function RunbookListPage() {
  return (
    <Page title="Runbooks" about="What each alert means, what its effect is, and what to do.">
      <List listStyleType="none" spacing="sm" maw="46rem">
        {Object.entries(files).map(([path, { title, about }]) => {
          const name = path.slice(path.lastIndexOf('/') + 1, -'.md'.length)
          return (
            <List.Item key={name}>
              <PageLink to={`/runbooks/${name}`}>{title}</PageLink>
              <Text size="sm">{about}</Text>
              <Text size="xs" c="dimmed">
                {name}
              </Text>
            </List.Item>
          )
        })}
      </List>
    </Page>
  )
}
