import type { ContactProfile } from '@lettergate/client/console'
import { Group } from '@mantine/core'
import { useState } from 'react'
import { ActButton } from '../../dialogs/act-button.tsx'
import { ShownOnce } from '../../session/shown-once.tsx'
import { Section } from '../../parts/section.tsx'
import { useWorkspace } from '../../session/workspace.tsx'

/** A link for somebody who asks how to leave, such as in an answer of the support. */
export function PreferenceLink({ contact }: { contact: ContactProfile }) {
  const { api, may } = useWorkspace()
  const [link, setLink] = useState<string>()
  const audiences = contact.eligibility.map((one) => ({ value: one.audience_id, label: one.audience_name }))
  return (
    <Section
      title="Preference link"
      about="The page on which this person leaves an audience or the whole workspace. Every email has such a link."
    >
      {link !== undefined && (
        <ShownOnce
          title="Give this link to nobody else"
          about="It is shown only now; you can create another one."
          value={link}
          of="the preference link"
          onClose={() => setLink(undefined)}
        />
      )}
      {may('upsert_contacts') && (
        <Group>
          <ActButton
            label="Create a preference link"
            act="Create the link"
            consequences={['The link changes what this person receives, for everybody who has it. It never expires.']}
            fields={{
              audience: {
                kind: 'choice',
                label: 'Audience; empty for the whole workspace',
                choices: audiences,
                isRequired: false,
              },
            }}
            run={({ audience }) =>
              api.createPreferenceToken({
                contact_id: contact.id,
                body: audience ? { scope: 'audience', audience_id: audience } : { scope: 'workspace' },
              })
            }
            onDone={({ preference_url: url }) => setLink(url)}
          />
        </Group>
      )}
    </Section>
  )
}
