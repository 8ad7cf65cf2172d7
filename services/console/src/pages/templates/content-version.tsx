import type { EmailTemplateVersionsResponse } from '@lettergate/client/console'
import { SimpleGrid } from '@mantine/core'
import { Loaded } from '../../parts/loaded.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { SendTest } from '../sending/send-test.tsx'
import { ContentChanges } from './content-changes.tsx'
import { Preview } from './preview.tsx'
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
          <Section
            title={`Version ${version.version}: ${version.subject}`}
            actions={version.validation.valid && <SendTest contentVersionId={version.id} />}
          >
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
            <Preview versionId={version.id} />
            <SanitiserReport validation={version.validation} />
          </SimpleGrid>
          <ContentChanges version={version} versions={versions} />
        </>
      )}
    </Loaded>
  )
}
