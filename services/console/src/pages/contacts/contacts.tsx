import type { ListedContact } from '@lettergate/client/console'
import { Text } from '@mantine/core'
import { useState } from 'react'
import { ActButton } from '../../dialogs/act-button.tsx'
import { ChoiceFilter, Filters, TextFilter } from '../../parts/filters.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { ReadNotices } from '../../parts/read-notices.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useFilters, useKnownFilter } from '../../parts/use-filter.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { usePages } from '../../session/use-answer.ts'
import { useAudiences, useTags } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const labels = { search: 'Address or name' }

const nameOf = ({ first_name, last_name }: ListedContact) => [first_name, last_name].filter(Boolean).join(' ')

const columns = [
  {
    title: 'Address',
    cell: (contact: ListedContact) => (
      <>
        <PageLink to={`/contacts/${contact.id}`}>{contact.email}</PageLink>{' '}
        {contact.is_suppressed && <StateBadge state="suppressed" />}
      </>
    ),
  },
  { title: 'Name', cell: (contact: ListedContact) => nameOf(contact) || '–' },
  {
    title: 'Tags',
    cell: ({ tags }: ListedContact) => (
      <>
        {tags.slice(0, 4).map((tag) => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
        {tags.length === 0 && '–'}
        {tags.length > 4 && <small>and {tags.length - 4} more</small>}
      </>
    ),
  },
  { title: 'Added', cell: (contact: ListedContact) => <Moment at={contact.created_at} /> },
]

const memberStates = ['active', 'withdrawn', 'under_review'] as const

/** All contacts of the workspace, with filters; the next pages load while the user scrolls. */
export default function ContactsPage() {
  const { name, console } = useWorkspace()
  const filters = useFilters('search', 'tag', 'audience_id', 'suppressed', 'legacy_consent_classification')
  const { suppressed, tag, legacy_consent_classification: legacy, ...texts } = filters
  // Without an audience it means nothing, and leaves the address.
  const [memberState] = useKnownFilter(
    'member_state',
    (state) => filters.audience_id !== undefined && memberStates.some((known) => known === state),
  )
  const pages = usePages([name, 'contacts', filters, memberState], (page, options) =>
    console.listContacts(
      {
        ...page,
        ...texts,
        ...(tag ? { tag: [tag] } : {}),
        ...(memberState ? { member_state: memberState as 'active' } : {}),
        ...(suppressed ? { suppressed: suppressed === 'yes' } : {}),
        ...(legacy ? { legacy_consent_classification: legacy as 'partial' } : {}),
        limit: 100,
      },
      options,
    ),
  )
  const audiences = useAudiences()
  const tags = useTags()
  const isFiltered = Object.keys(filters).length > 0
  return (
    <Page
      title="Contacts"
      about="Everybody this workspace knows. Open a contact to see what it agreed to, and why it can or cannot be mailed."
      actions={(isFiltered || (pages.data?.pages[0]?.contacts.length ?? 0) > 0) && <NewContact />}
    >
      <RoleNote needs="upsert_contacts" />
      <Filters>
        <TextFilter name="search" label={labels.search} placeholder="ada@ or Ada" />
        <ChoiceFilter
          name="audience_id"
          label="Audience"
          choices={audiences.data?.audiences.map(({ id, name: label }) => ({ value: id, label }))}
          areFixed={false}
        />
        {filters.audience_id && <ChoiceFilter name="member_state" label="Membership" choices={memberStates} />}
        <ChoiceFilter
          name="tag"
          label="Tag"
          choices={tags.data?.tags.map((tag) => ({ value: tag.name, label: tag.name }))}
          areFixed={false}
        />
        <ChoiceFilter name="suppressed" label="Suppressed" choices={['yes', 'no']} />
        <ChoiceFilter
          name="legacy_consent_classification"
          label="Consent of an older system"
          choices={['documented', 'partial', 'undocumented']}
        />
      </Filters>
      {pages.data && <ReadNotices of={[audiences, tags]} />}
      <PagedTable
        label="Contacts"
        labels={labels}
        pages={pages}
        rowsOf={(page) => page.contacts}
        keyOf={({ id }) => id}
        isEndless
        empty={
          isFiltered ? (
            <Empty title="No contact matches">Change or clear a filter.</Empty>
          ) : (
            <Empty title="There are no contacts yet" action={<NewContact />}>
              A contact is a person who may get email. Add one here,{' '}
              <PageLink to="/imports">import a CSV file</PageLink>, or connect a sign-up form as a{' '}
              <PageLink to="/sources">source</PageLink>.
            </Empty>
          )
        }
        columns={columns}
      />
    </Page>
  )
}

function NewContact() {
  const { api, may } = useWorkspace()
  const [existing, setExisting] = useState<{ id: string; email: string }>()
  if (!may('upsert_contacts')) return null
  return (
    <ActButton
      label="Add a contact"
      act="Save the contact"
      consequences={['This gives no consent: subscribe the contact to an audience afterwards.']}
      fields={{
        email: { kind: 'text', label: 'Email address' },
        first_name: { kind: 'text', label: 'First name', isRequired: false },
        last_name: { kind: 'text', label: 'Last name', isRequired: false },
      }}
      run={async ({ email, first_name, last_name }) => {
        setExisting(undefined)
        const saved = await api.upsertContact({
          create_only: true,
          body: {
            email,
            source: 'console',
            ...(first_name ? { first_name } : {}),
            ...(last_name ? { last_name } : {}),
          },
        })
        if (!saved.ok && saved.reason === 'contact_exists') {
          const found = await api.lookupContact({ email })
          if (found.ok) setExisting(found.data.contact)
        }
        return saved
      }}
      goesTo={({ contact }) => `/contacts/${contact.id}`}
      button={{ variant: 'filled' }}
      afterRefusal={
        existing && (
          <Text size="sm">
            <PageLink to={`/contacts/${existing.id}`}>Open {existing.email}</PageLink>
          </Text>
        )
      }
    />
  )
}
