import type { EmailTemplateVersionsResponse, StoredContentVersion } from '@lettergate/client/console'
import { Text } from '@mantine/core'
import { Suspense } from 'react'
import { lazyPart } from '../../parts/lazy-part.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { PageLoading } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { OtherVersion, useOtherVersion } from '../../parts/other-version.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const Differences = lazyPart(() => import('./content-differences.tsx'))

/** What a version of a content changed, against the one before it or another one. */
export function ContentChanges({
  version,
  versions,
}: {
  version: StoredContentVersion
  versions: EmailTemplateVersionsResponse['content_versions']
}) {
  const { name, console } = useWorkspace()
  const other = useOtherVersion(versions, version)
  const answer = useAnswer(
    [name, 'content', other.before?.id],
    (options) => console.getContentVersion({ content_version_id: other.before!.id }, options),
    { enabled: other.before !== undefined },
  )
  if (other.others.length === 0) return null
  return (
    <Section title={`Changes in version ${version.version}`}>
      <OtherVersion {...other} labelOf={({ version: number, subject }) => `${number}: ${subject}`} />
      {other.before ? (
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
