import type { ContactProfile } from '@lettergate/client/console'
import { Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { Section } from '../../parts/section.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { EvidenceFacts } from './evidence-facts.tsx'
import { useChangeContact } from './use-change-contact.ts'

const grades: Record<NonNullable<ContactProfile['legacy_consent_classification']>, string> = {
  documented: 'Documented: the date, the source and the wording are known. It does not stop email.',
  partial:
    'Partly documented: of the date, the source and the wording, something is missing. Nothing is sent to the contact.',
  undocumented: 'Not documented: no date, source or wording is known. Nothing is sent to the contact.',
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** What is known about the consent of a contact from an older system, and how to document it. */
export function LegacyConsent({ contact }: { contact: ContactProfile }) {
  const { may } = useWorkspace()
  const change = useChangeContact(contact)
  if (!contact.is_legacy) return null
  const evidence = (contact.legacy_consent_evidence ?? {}) as Record<string, unknown>
  return (
    <Section
      title="Consent of an older system"
      about={grades[contact.legacy_consent_classification ?? 'undocumented']}
      actions={
        may('upsert_contacts') && (
          <>
            <ActButton
              label="Document the consent"
              act="Store the evidence"
              consequences={[
                'It replaces the date, the source and the wording below. Other evidence stays.',
                'Only a consent with all three makes the contact eligible. The change is in the audit log.',
              ]}
              fields={{
                captured_at: {
                  kind: 'date',
                  label: 'Date of the consent',
                  initial: textOf(evidence['captured_at']).slice(0, 10),
                },
                source: {
                  kind: 'text',
                  label: 'Source',
                  about: 'Where the contact agreed, for example: paper form of the 2019 fair.',
                  initial: textOf(evidence['source']),
                },
                wording: {
                  kind: 'long',
                  label: 'Wording',
                  about: 'The words that the contact agreed to.',
                  initial: textOf(evidence['wording']),
                },
              }}
              run={(values) => change({ is_legacy: true, legacy_consent_evidence: { ...evidence, ...values } })}
            />
            <ActButton
              label="Not from an older system"
              title="Remove the mark of an older system?"
              act="Remove the mark"
              isDangerous
              consequences={[
                'The consent of the contact then counts like any other. Do this only if the mark is wrong.',
                'The change is in the audit log.',
              ]}
              run={() => change({ is_legacy: false })}
            />
          </>
        )
      }
    >
      {Object.keys(evidence).length > 0 ? (
        <EvidenceFacts evidence={evidence} />
      ) : (
        <Text size="sm">No evidence is stored.</Text>
      )}
    </Section>
  )
}
