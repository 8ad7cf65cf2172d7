import type { EmailTemplateVersionsResponse, ListedEmailTemplate } from '@lettergate/client/console'
import { Button } from '@mantine/core'
import { Link, useParams } from 'wouter'
import { ActButton } from '../../dialogs/act-button.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { MomentBy } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { ContentVersion } from './content-version.tsx'
import { warningsOf } from './warnings.ts'

type Version = EmailTemplateVersionsResponse['content_versions'][number]

/** One template: its versions, and one of them with its preview. */
export default function TemplatePage() {
  const { id } = useParams<{ id: string }>()
  const { name, console, may } = useWorkspace()
  const [chosen] = useFilter('version')
  const pages = usePages([name, 'template-versions', id], (page, options) =>
    console.getEmailTemplate({ template_id: id, ...page, limit: 50 }, options),
  )
  const first = pages.data?.pages[0]
  const template = first?.email_template
  const shown = chosen || first?.content_versions[0]?.id
  return (
    <Page
      title={template?.name ?? 'Template'}
      about={
        template && (
          <>
            {template.archived && <StateBadge state="archived" />} {template.description}
          </>
        )
      }
      actions={template && may('edit_content') && <Acts template={template} />}
    >
      <RoleNote needs="edit_content" />
      <Loaded answer={pages}>
        {(data) => (
          <>
            {shown && <ContentVersion id={shown} versions={data.pages.flatMap((page) => page.content_versions)} />}
            <Section
              title="Versions"
              about="A version never changes. Campaigns keep the version that they chose."
              isPlain
            >
              <PagedTable
                label="Versions"
                roomOf={4}
                pages={pages}
                rowsOf={(page) => page.content_versions}
                keyOf={(version) => version.id}
                empty={
                  <Empty title="There is no content yet">
                    Write the first version. It is sanitised when it is saved, and you see what was removed.
                  </Empty>
                }
                columns={columnsOf(id)}
              />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

const columnsOf = (templateId: string) => [
  { title: 'Version', cell: ({ version }: Version) => version },
  {
    title: 'Subject',
    cell: (row: Version) => <PageLink to={`/templates/${templateId}?version=${row.id}`}>{row.subject}</PageLink>,
  },
  { title: 'State', cell: ({ valid }: Version) => <StateBadge state={valid ? 'valid' : 'invalid'} /> },
  { title: 'Warnings', cell: (row: Version) => warningsOf(row.review_warnings).join(' ') || 'none' },
  {
    title: 'Saved',
    cell: (row: Version) => <MomentBy at={row.created_at} by={row.created_by} />,
  },
]

function Acts({ template }: { template: ListedEmailTemplate }) {
  const { api } = useWorkspace()
  const archive = (archived: boolean) => api.archiveEmailTemplate({ template_id: template.id, body: { archived } })
  return (
    <>
      <Button component={Link} href={`/templates/${template.id}/new`} size="compact-sm">
        Write a version
      </Button>
      {template.archived ? (
        <ActButton
          label="Restore"
          title={`Restore ${template.name}?`}
          act="Restore the template"
          consequences={['Drafts with its content can be scheduled again.']}
          run={() => archive(false)}
        />
      ) : (
        <ActButton
          label="Archive"
          title={`Archive ${template.name}?`}
          act="Archive the template"
          isDangerous
          consequences={[
            'A draft with its content cannot be scheduled, and an automation with it cannot be published.',
            'Runs that are scheduled and automations that are published continue. You can restore it.',
          ]}
          run={() => archive(true)}
        />
      )}
    </>
  )
}
