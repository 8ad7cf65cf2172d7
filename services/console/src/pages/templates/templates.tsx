import { ActButton } from '../../dialogs/act-button.tsx'
import { slugField, slugFor } from '../../dialogs/slug.ts'
import { Filters, TextFilter } from '../../parts/filters.tsx'
import { PageLink } from '../../parts/link.tsx'
import { MomentBy } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useFilters } from '../../parts/use-filter.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** The content of campaigns and automations, by template. */
export default function TemplatesPage() {
  const { name, console } = useWorkspace()
  const filters = useFilters('search')
  const pages = usePages([name, 'template-pages', filters], (page, options) =>
    console.listEmailTemplates({ ...page, ...filters, limit: 50 }, options),
  )
  const hasRows = filters.search !== undefined || (pages.data?.pages[0]?.email_templates.length ?? 0) > 0
  return (
    <Page
      title="Templates"
      about="The content of campaigns and automations. Each template has numbered versions, which never change."
      actions={hasRows && <NewTemplate />}
    >
      <RoleNote needs="edit_content" />
      {hasRows && (
        <Filters>
          <TextFilter name="search" label="Name" placeholder="A part of the name" />
        </Filters>
      )}
      <PagedTable
        label="Templates"
        pages={pages}
        rowsOf={(page) => page.email_templates}
        keyOf={({ id }) => id}
        empty={
          filters.search === undefined ? (
            <Empty title="There is no template yet" action={<NewTemplate />}>
              A template holds the subject and the text of an email. Create one, then write its first version and see it
              as your readers will.
            </Empty>
          ) : (
            'No template matches'
          )
        }
        columns={[
          {
            title: 'Template',
            cell: (template) => (
              <>
                <PageLink to={`/templates/${template.id}`}>{template.name}</PageLink>{' '}
                {template.archived && <StateBadge state="archived" />}
              </>
            ),
          },
          { title: 'About', cell: ({ description }) => description ?? '–' },
          { title: 'Versions', isNumber: true, cell: (template) => template.content_versions },
          {
            title: 'Created',
            cell: (template) => <MomentBy at={template.created_at} by={template.created_by} />,
          },
        ]}
      />
    </Page>
  )
}

function NewTemplate() {
  const { api, may } = useWorkspace()
  if (!may('edit_content')) return null
  return (
    <ActButton
      label="Create a template"
      act="Create it"
      fields={{
        name: { kind: 'text', label: 'Name', about: 'Only you see it.' },
        slug: slugField,
        description: { kind: 'text', label: 'Description', isRequired: false },
      }}
      run={({ name, slug, description }, key) =>
        api.createEmailTemplate({
          body: { name, slug: slugFor('template', name, slug, key), ...(description ? { description } : {}) },
        })
      }
      goesTo={({ email_template }) => `/templates/${email_template.id}`}
      button={{ variant: 'filled' }}
    />
  )
}
