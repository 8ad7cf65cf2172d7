import type { ContactProfile } from '@lettergate/client/console'
import { ActButton } from '../../dialogs/act-button.tsx'
import { downloadText } from '../../parts/download.ts'
import { FailedReads } from '../../parts/failed-reads.tsx'
import { inWords } from '../../parts/words.ts'
import { useFields } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { changedProfileOf, profileFieldsOf } from './profile-fields.ts'
import { useChangeContact } from './use-change-contact.ts'

/** What can be done to a contact, as far as the role allows. */
export function ContactActs({ contact }: { contact: ContactProfile }) {
  const { api, console, may } = useWorkspace()
  const audiences = contact.eligibility.map((one) => ({ value: one.audience_id, label: one.audience_name }))
  return (
    <>
      <ProofButton contact={contact} />
      {may('upsert_contacts') && <EditButton contact={contact} />}
      {may('resolve_suppressions') && (
        <ActButton
          label="Suppress"
          act="Suppress the contact"
          isDangerous
          consequences={[
            'Nothing of this scope is sent to the contact, also not what is scheduled or being sent.',
            'Every organization: no workspace of this platform mails the address. Only a platform owner or administrator ends it.',
            'Only resolving it with a reason ends this.',
          ]}
          fields={{
            scope: {
              kind: 'choice',
              label: 'Scope',
              initial: 'workspace',
              choices: [
                { value: 'workspace', label: 'This workspace' },
                { value: 'audience', label: 'One audience' },
                { value: 'platform', label: 'Every organization' },
              ],
            },
            audience_id: {
              kind: 'choice',
              label: 'Audience',
              about: 'Nothing of this audience is sent to the contact.',
              choices: audiences,
              isAsked: ({ scope }) => scope === 'audience',
            },
            reason: {
              kind: 'choice',
              label: 'Reason',
              initial: 'manual',
              choices: ['manual', 'complaint', 'unsubscribe', 'legal', 'other'].map((value) => ({
                value,
                label: inWords(value),
              })),
            },
            note: {
              kind: 'long',
              label: 'Evidence',
              about: 'For the record: who asked, and how.',
              isRequired: false,
            },
          }}
          run={({ scope, audience_id, reason, note }) =>
            api.suppressContact({
              contact_id: contact.id,
              body: {
                scope: scope as 'workspace',
                reason: reason as 'manual',
                source: 'console',
                ...(scope === 'audience' ? { audience_id } : {}),
                ...(note ? { evidence: { note } } : {}),
              },
            })
          }
        />
      )}
      {may('delete_contacts') && (
        <>
          <ActButton
            label="Delete"
            isDangerous
            title={`Delete ${contact.email}?`}
            act="Delete the contact"
            consequences={[
              'The profile and the memberships are removed. The record of consent stays.',
              'It is refused when the contact was ever suppressed, or when an email was made for it. Then erase the person instead.',
            ]}
            run={() => console.deleteContact({ contact_id: contact.id })}
            goesTo={() => '/contacts'}
            removes={contact.id}
          />
          <ActButton
            label="Erase"
            isDangerous
            title={`Erase ${contact.email}?`}
            act="Erase this person"
            consequences={[
              'Every service removes the personal data of this person. This cannot be undone.',
              'The address is suppressed in this workspace with the reason “legal”, also if somebody adds it again. The list of suppressions shows it from then on, and only resolving it ends this.',
              'Reports keep their counts. Suppressions keep working through a keyed hash of the address.',
              'Hand over the consent proof first, if somebody asked for it.',
            ]}
            phrase={`ERASE ${contact.id}`}
            run={() => console.eraseContact({ contact_id: contact.id, body: { confirmation: `ERASE ${contact.id}` } })}
            goesTo={({ erasure }) => `/erasures/${erasure.id}`}
            removes={contact.id}
          />
        </>
      )}
    </>
  )
}

function EditButton({ contact }: { contact: ContactProfile }) {
  const change = useChangeContact(contact)
  const answer = useFields()
  if (!answer.data) return <FailedReads of={[answer]} />
  const definitions = answer.data.field_definitions
  const fields = profileFieldsOf(contact, definitions)
  return (
    <ActButton
      label="Edit"
      act="Save"
      title="Edit the profile"
      fields={fields}
      run={(values) => change(changedProfileOf(fields, values, definitions))}
    />
  )
}

function ProofButton({ contact }: { contact: ContactProfile }) {
  const { console } = useWorkspace()
  return (
    <ActButton
      label="Consent proof"
      title="Export the consent proof"
      act="Download the proof"
      consequences={[
        'A signed file with everything that this contact agreed to. It contains personal data.',
        'Anybody can check it without access: make verify-consent FILE=proof.json',
      ]}
      run={() => console.getConsentProof({ contact_id: contact.id })}
      onDone={({ proof }) => downloadText('consent-proof.json', JSON.stringify(proof, null, 2), 'application/json')}
    />
  )
}
