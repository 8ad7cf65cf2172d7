import type { EmailTemplateVersionsResponse, StoredContentVersion } from '@lettergate/client/console'
import { Select, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Loaded } from '../../parts/loaded.tsx'
import { PageLoading } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { useOtherVersion } from '../../parts/use-other-version.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const Differences = lazy(() => import('./content-differences.tsx'))

/** What a version of a content changed, against the one before it or another one. */
export function ContentChanges({
  version,
  versions,
}: {
  version: StoredContentVersion
  versions: EmailTemplateVersionsResponse['content_versions']
}) {
  const { name, console } = useWorkspace()
  const { others, before, choose } = useOtherVersion(versions, version)
  const answer = useAnswer(
    [name, 'content', before?.id],
    (options) => console.getContentVersion({ content_version_id: before!.id }, options),
    { enabled: before !== undefined },
  )
  if (others.length === 0) return null
  return (
    <Section title={`Changes in version ${version.version}`}>
      <Select
        label="Compared with version"
        allowDeselect={false}
        placeholder="Choose one"
        data={others.map((one) => ({ value: one.id, label: `${one.version}: ${one.subject}` }))}
        value={before?.id ?? null}
        onChange={choose}
        maw={420}
      />
      {before ? (
        <Loaded answer={answer}>
          {(data) => (
            <Suspense fallback={<PageLoading />}>
              <Differences before={data.content_version} after={version} />
            </Suspense>
          )}
        </Loaded>
      ) : (
        <Text size="sm">This is the first version. Choose another one to compare it with.</Text>
      )}
    </Section>
  )
}
