import type { Tag } from '@lettergate/client/console'
import { Group } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { AnswerTable } from '../../parts/answer-table.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { counted, inWords } from '../../parts/words.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { useFields, useTags } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const fieldTypes = [
  'text',
  'long_text',
  'integer',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'single_choice',
  'multiple_choice',
  'url',
] as const

/** The tags and the custom fields of contacts. */
export default function TagsPage() {
  return (
    <Page
      title="Tags and fields"
      about="Tags group contacts, for filters of campaigns and triggers of automations. Fields hold what you know about a contact."
    >
      <RoleNote needs="upsert_contacts" />
      <Tags />
      <Fields />
    </Page>
  )
}

function Tags() {
  const { console, may } = useWorkspace()
  const answer = useTags()
  const tags = answer.data?.tags
  const create = may('upsert_contacts') && (
    <ActButton
      label="Register a tag"
      act="Register it"
      fields={{ tag: { kind: 'text', label: 'Name' } }}
      run={({ tag }) => console.registerTag({ body: { name: tag } })}
      button={{ variant: 'filled' }}
    />
  )
  return (
    <Section title="Tags" isPlain actions={answer.data && answer.data.tags.length > 0 && create}>
      <AnswerTable
        label="Tags"
        answer={answer}
        rowsOf={(data) => data.tags}
        keyOf={({ id }) => id}
        empty={
          <Empty title="There is no tag yet" action={create}>
            A tag marks contacts, so that a campaign can go to some people of an audience, and an automation can decide.
            Register one, or give tags with an import or the API.
          </Empty>
        }
        columns={[
          { title: 'Tag', cell: (tag) => tag.name },
          {
            title: 'Contacts',
            isNumber: true,
            cell: (tag) => (
              <PageLink to={`/contacts?tag=${encodeURIComponent(tag.name)}`}>
                {tag.contact_count.toLocaleString('en')}
              </PageLink>
            ),
          },
          { title: 'Change', cell: (tag) => <TagActs tag={tag} others={tags ?? []} /> },
        ]}
      />
    </Section>
  )
}

function TagActs({ tag, others }: { tag: Tag; others: readonly Tag[] }) {
  const { console, workspace } = useWorkspace()
  if (workspace.role !== 'owner') return <>by an owner</>
  const affected = counted(tag.contact_count, 'contact')
  const filters = 'Drafts and automations that name the old tag keep its name; look through them.'
  return (
    <Group gap="xs" wrap="nowrap">
      <ActButton
        label="Rename"
        title={`Rename the tag ${tag.name}`}
        act="Rename it"
        consequences={[`${affected} will have the new name.`, filters]}
        fields={{ name: { kind: 'text', label: 'New name', initial: tag.name } }}
        run={({ name }) => console.renameTag({ tag_id: tag.id, body: { name } })}
      />
      <ActButton
        label="Merge"
        title={`Merge the tag ${tag.name} into another`}
        act="Merge it"
        isDangerous
        consequences={[
          `${affected} will have the other tag instead. ${tag.name} is removed.`,
          'Afterwards nobody can tell who had which tag.',
          filters,
        ]}
        fields={{
          into: {
            kind: 'choice',
            label: 'The tag that stays',
            choices: others
              .filter(({ id }) => id !== tag.id)
              .map((other) => ({
                value: other.id,
                label: `${other.name} (${counted(other.contact_count, 'contact')})`,
              })),
          },
        }}
        run={({ into }) => console.mergeTag({ tag_id: tag.id, body: { into } })}
      />
    </Group>
  )
}

function Fields() {
  const { api, may } = useWorkspace()
  const answer = useFields()
  return (
    <Section
      title="Custom fields"
      isPlain
      actions={
        may('upsert_contacts') && (
          <ActButton
            label="Define a field"
            act="Define it"
            consequences={[
              'The type of a field cannot be changed later. The same key again makes a new version of it.',
            ]}
            fields={{
              field_key: {
                kind: 'text',
                label: 'Key',
                about: 'Small characters, digits and underscores, such as shoe_size.',
              },
              label: { kind: 'text', label: 'Name', about: 'What the console shows.' },
              field_type: {
                kind: 'choice',
                label: 'Type',
                initial: 'text',
                choices: fieldTypes.map((value) => ({ value, label: inWords(value) })),
              },
              options: { kind: 'tags', label: 'Options', about: 'For choices only.', isRequired: false },
            }}
            run={({ field_key, label, field_type, options }) =>
              api.defineContactField({
                body: {
                  field_key,
                  label,
                  field_type: field_type as (typeof fieldTypes)[number],
                  ...(options.length > 0 ? { options } : {}),
                },
              })
            }
          />
        )
      }
    >
      <AnswerTable
        label="Custom fields"
        answer={answer}
        rowsOf={(data) => data.field_definitions}
        keyOf={({ id }) => id}
        empty={
          <Empty title="There is no custom field">
            Name, company, country, language, phone and time zone exist always.
          </Empty>
        }
        columns={[
          { title: 'Name', cell: ({ label }) => label },
          { title: 'Key', cell: ({ field_key }) => <code>{field_key}</code> },
          { title: 'Type', cell: ({ field_type }) => inWords(field_type) },
          { title: 'Options', cell: ({ options }) => options.join(', ') || '–' },
          { title: 'Version', isNumber: true, cell: ({ version }) => version },
        ]}
      />
    </Section>
  )
}
