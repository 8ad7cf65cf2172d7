import { Code, Group, SegmentedControl, Select, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const views = [
  { value: 'wide', label: 'Wide' },
  { value: 'phone', label: 'Phone' },
  { value: 'dark', label: 'Dark' },
  { value: 'text', label: 'Plain text' },
]
const fillings = [
  { value: 'tokens', label: 'As written' },
  { value: 'sample', label: 'Sample' },
  { value: 'defaults', label: 'Defaults' },
  { value: 'contact', label: 'A contact' },
] as const
type Filling = (typeof fillings)[number]['value']

/** What a reader sees. The sandbox of the frame allows nothing, and its page has its own content security policy. */
export function Preview({ versionId }: { versionId: string }) {
  const { name, console } = useWorkspace()
  const [view, setView] = useState('wide')
  const [filling, setFilling] = useState<Filling>('tokens')
  const [contactId, setContactId] = useState<string | null>(null)
  const values = filling !== 'contact' ? { values: filling } : contactId === null ? {} : { contact_id: contactId }
  const answer = useAnswer([name, 'rendered', versionId, values], (options) =>
    console.renderContentVersion({ content_version_id: versionId, ...values }, options),
  )
  const [organization, workspace] = name.split('/')
  const search = new URLSearchParams({
    ...(values as Record<string, string>),
    colors: view === 'dark' ? 'dark' : 'light',
  }).toString()
  return (
    <Section
      title="Preview"
      about="What is stored and sent, with the values that you choose. Its links do nothing here."
      actions={
        <SegmentedControl aria-label="How to show the email" size="xs" value={view} onChange={setView} data={views} />
      }
    >
      <Group gap="sm" align="flex-end">
        <SegmentedControl
          aria-label="What stands for tokens"
          size="xs"
          value={filling}
          onChange={(next) => setFilling(next as Filling)}
          data={[...fillings]}
        />
        {filling === 'contact' && <ContactChoice value={contactId} onChange={setContactId} />}
      </Group>
      <Loaded answer={answer}>
        {({ subject, plain_text }) => (
          <>
            <Text size="sm">
              Subject: <strong>{subject}</strong>
            </Text>
            {view === 'text' ? (
              <Code block tabIndex={0} aria-label="Plain text" style={{ whiteSpace: 'pre-wrap' }}>
                {plain_text}
              </Code>
            ) : (
              <iframe
                title="Preview of the email"
                className="preview"
                data-view={view}
                sandbox=""
                src={`/console/api/organizations/${organization}/workspaces/${workspace}/content-versions/${versionId}/preview?${search}`}
              />
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** A contact, found by address or name. */
function ContactChoice({ value, onChange }: { value: string | null; onChange: (id: string | null) => void }) {
  const { name, console } = useWorkspace()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), 300)
  const found = useAnswer([name, 'contact-choice', search], (options) =>
    console.listContacts({ ...(search ? { search } : {}), limit: 10 }, options),
  )
  return (
    <Select
      aria-label="Contact"
      placeholder="Address or name"
      size="xs"
      searchable
      // the service searches
      filter={({ options }) => options}
      searchValue={typed}
      onSearchChange={setTyped}
      data={(found.data?.contacts ?? []).map(({ id, email }) => ({ value: id, label: email }))}
      value={value}
      onChange={onChange}
    />
  )
}
