import type { StoredContentVersion } from '@lettergate/client/console'
import { Stack } from '@mantine/core'
import { LineDiff, WordDiff } from '../../parts/text-diff.tsx'

/** The sanitiser writes no line breaks of its own, so each element begins a line here. */
const inLines = (html: string) => html.replaceAll(/>\s*</g, '>\n<')

const defaultsOf = ({ personalization_defaults: defaults }: StoredContentVersion) =>
  Object.entries(defaults)
    .map(([token, value]) => `${token}: ${value}`)
    .toSorted()
    .join('\n')

/** The changes of subject, preheader, HTML, plain text and defaults, beside each other. */
export default function ContentDifferences({
  before,
  after,
}: {
  before: StoredContentVersion
  after: StoredContentVersion
}) {
  return (
    <Stack gap="sm">
      <WordDiff title="Subject" before={before.subject} after={after.subject} />
      {(before.preheader ?? '') !== (after.preheader ?? '') && (
        <WordDiff title="Preheader" before={before.preheader ?? ''} after={after.preheader ?? ''} />
      )}
      <LineDiff title="HTML" before={inLines(before.sanitized_html)} after={inLines(after.sanitized_html)} />
      <LineDiff title="Plain text" before={before.plain_text} after={after.plain_text} />
      {defaultsOf(before) !== defaultsOf(after) && (
        <LineDiff title="Defaults" before={defaultsOf(before)} after={defaultsOf(after)} />
      )}
    </Stack>
  )
}
