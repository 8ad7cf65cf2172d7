import type { ContactProfile } from '@lettergate/client/console'
import { Alert, Badge, Group, Text } from '@mantine/core'
import { useParams } from 'wouter'
import { ActButton } from '../../dialogs/act-button.tsx'
import { Copied } from '../../parts/copy-button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { fieldLabelsOf } from '../../parts/field-labels.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { inWords, sourceInWords } from '../../parts/words.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useFields, useTags } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { ContactEnrollments, ContactMessages } from './contact-activity.tsx'
import { ContactActs } from './contact-acts.tsx'
import { ConsentTimeline } from './consent-timeline.tsx'
import { Eligibility } from './eligibility.tsx'
import { LegacyConsent } from './legacy-consent.tsx'
import { PreferenceLink } from './preference-link.tsx'
import { SuppressionsTable } from './suppressions-table.tsx'

/** One contact: what it agreed to, why it can or cannot be mailed, and where its data comes from. */
export default function ContactPage() {
  const { id } = useParams<{ id: string }>()
  const { name, console } = useWorkspace()
  const answer = useAnswer([name, 'contact', id], (options) => console.getContact({ contact_id: id }, options))
  const contact = answer.data?.contact
  return (
    <Page title={contact?.email ?? 'Contact'} actions={contact && <ContactActs contact={contact} />}>
      <RoleNote needs="upsert_contacts" />
      <Loaded answer={answer}>{(data) => <Profile contact={data.contact} />}</Loaded>
    </Page>
  )
}

function Profile({ contact }: { contact: ContactProfile }) {
  return (
    <>
      {contact.is_platform_suppressed && (
        <Alert color="red" title="Nobody can mail this address">
          It is suppressed for every organization of the platform.
        </Alert>
      )}
      <Eligibility contact={contact} />
      <LegacyConsent contact={contact} />
      <Section title="Profile">
        <ProfileFacts contact={contact} />
        <Tags contact={contact} />
      </Section>
      <Section title="Suppressions" about="While one of these is active, it stops email of its scope." isPlain>
        <SuppressionsTable contactId={contact.id} />
      </Section>
      <PreferenceLink contact={contact} />
      <ConsentTimeline contactId={contact.id} />
      <ContactEnrollments contactId={contact.id} />
      <ContactMessages contactId={contact.id} />
      <Section title="Where this contact comes from" about="The newest 50 records." isPlain>
        <DataTable
          label="Origins"
          rows={contact.provenance}
          keyOf={({ id }) => id}
          empty="No record"
          columns={[
            { title: 'When', cell: (origin) => <Moment at={origin.recorded_at} /> },
            { title: 'Source', cell: (origin) => sourceInWords(origin.source) },
            { title: 'By', cell: (origin) => origin.actor },
            { title: 'What', cell: (origin) => (origin.is_creation ? 'Added the contact' : 'Changed it') },
          ]}
        />
      </Section>
    </>
  )
}

function ProfileFacts({ contact }: { contact: ContactProfile }) {
  const fields = useFields()
  const ofEverybody = [
    ['Name', [contact.first_name, contact.last_name].filter(Boolean).join(' ')],
    ['Company', contact.company],
    ['Country', contact.country_code],
    ['Language', contact.locale],
    ['Time zone', contact.timezone],
    ['Phone', contact.phone],
  ] as const
  const ofRecord = [
    ['Added', <Moment key="at" at={contact.created_at} />],
    ['Id', <Copied key="id" value={contact.id} of="the id of the contact" />],
  ] as const
  // A field without a definition is shown by its key, and so is each one while the definitions are not read.
  const defined = fields.data?.field_definitions ?? []
  const keys = Object.keys(contact.custom_fields)
  const undefinedFields = keys
    .filter((key) => !defined.some(({ field_key }) => field_key === key))
    .map((key) => ({ field_key: key, label: inWords(key) }))
  const labels = fieldLabelsOf(
    [...defined, ...undefinedFields],
    [...ofEverybody, ...ofRecord].map(([title]) => title),
  )
  const custom = Object.entries(contact.custom_fields).map(
    ([key, value]) => [labels.get(key)!, Array.isArray(value) ? value.join(', ') : String(value)] as const,
  )
  return <Facts of={[...ofEverybody, ...custom, ...ofRecord]} />
}

function Tags({ contact }: { contact: ContactProfile }) {
  const { console, may } = useWorkspace()
  const known = useTags()
  return (
    <Group gap={6}>
      <Text size="sm" c="dimmed">
        Tags
      </Text>
      {contact.tags.length === 0 && <Text size="sm">none</Text>}
      {contact.tags.map((tag) => (
        <Badge key={tag} variant="default" tt="none" fw={500} size="lg">
          {tag}
        </Badge>
      ))}
      {may('upsert_contacts') && (
        <>
          <ActButton
            label="Add a tag"
            fields={{
              tag: {
                kind: 'choice',
                label: 'Tag',
                read: known,
                choices: (known.data?.tags ?? [])
                  .filter((tag) => !contact.tags.includes(tag.name))
                  .map((tag) => ({ value: tag.name, label: tag.name })),
              },
            }}
            consequences={['Automations with this tag as their trigger enroll the contact.']}
            run={({ tag }) => console.applyTag({ contact_id: contact.id, body: { tag } })}
            button={{ size: 'compact-xs' }}
          />
          {contact.tags.length > 0 && (
            <ActButton
              label="Remove a tag"
              fields={{
                tag: {
                  kind: 'choice',
                  label: 'Tag',
                  choices: contact.tags.map((tag) => ({ value: tag, label: tag })),
                },
              }}
              consequences={['Automations whose trigger is the removal of this tag enroll the contact.']}
              run={({ tag }) => console.removeTag({ contact_id: contact.id, tag })}
              button={{ size: 'compact-xs' }}
            />
          )}
        </>
      )}
    </Group>
  )
}
