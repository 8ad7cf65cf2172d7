import { List } from '@mantine/core'
import { PageLink } from '../../parts/link.tsx'
import { Page } from '../../parts/page.tsx'
import { runbooks } from './runbooks.ts'

/** All runbooks by name. */
export default function RunbookListPage() {
  return (
    <Page title="Runbooks" about="What each alert means, what its effect is, and what to do.">
      <List listStyleType="none" style={{ columnWidth: '18rem' }}>
        {[...runbooks.keys()].map((name) => (
          <List.Item key={name}>
            <PageLink to={`/runbooks/${name}`}>{name}</PageLink>
          </List.Item>
        ))}
      </List>
    </Page>
  )
}
