import type { EmailTemplateVersionsResponse, StoredContentVersion } from '@lettergate/client/console'
import { Code, SegmentedControl, SimpleGrid } from '@mantine/core'
import { useState } from 'react'
import { Loaded } from '../../parts/loaded.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { ContentChanges } from './content-changes.tsx'
import { SanitiserReport } from './sanitiser-report.tsx'

type Versions = EmailTemplateVersionsResponse['content_versions']

/** One version: what readers see, and what was removed from the input beside it. */
export function ContentVersion({ id, versions }: { id: string; versions: Versions }) {
  const { name, console } = useWorkspace()
  const answer = useAnswer([name, 'content', id], (options) =>
    console.getContentVersion({ content_version_id: id }, options),
  )
  return (
    <Loaded answer={answer}>
      {({ content_version: version }) => (
        <>
          <Section title={`Version ${version.version}: ${version.subject}`}>
            <Facts
              of={[
                ['Preheader', version.preheader],
                ...Object.entries(version.personalization_defaults).map(
                  ([token, value]) => [`Default of ${token}`, value] as const,
                ),
              ]}
            />
          </Section>
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            <Preview version={version} />
            <SanitiserReport validation={version.validation} />
          </SimpleGrid>
          <ContentChanges version={version} versions={versions} />
        </>
      )}
    </Loaded>
  )
}

const views = [
  { value: 'wide', label: 'Wide' },
  { value: 'phone', label: 'Phone' },
  { value: 'dark', label: 'Dark' },
  { value: 'text', label: 'Plain text' },
]

/** The sandbox of the frame allows nothing, and its page has its own content security policy. */
function Preview({ version }: { version: StoredContentVersion }) {
  const { name } = useWorkspace()
  const [view, setView] = useState('wide')
  const [organization, workspace] = name.split('/')
  return (
    <Section
      title="Preview"
      about="What is stored and sent. Tokens get their values for each person."
      actions={
        <SegmentedControl aria-label="How to show the email" size="xs" value={view} onChange={setView} data={views} />
      }
    >
      {view === 'text' ? (
        <Code block tabIndex={0} aria-label="Plain text" style={{ whiteSpace: 'pre-wrap' }}>
          {version.plain_text}
        </Code>
      ) : (
        <iframe
          title="Preview of the email"
          className="preview"
          data-view={view}
          sandbox=""
          src={`/console/api/organizations/${organization}/workspaces/${workspace}/content-versions/${version.id}/preview`}
        />
      )}
    </Section>
  )
}
