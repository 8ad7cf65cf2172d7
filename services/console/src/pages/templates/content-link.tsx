import { PageLink } from '../../parts/link.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** A version of a template, by the name and the number, with a link to it. */
export function ContentLink({ id }: { id: string }) {
  const { name, console } = useWorkspace()
  const content = useAnswer([name, 'content', id], (options) =>
    console.getContentVersion({ content_version_id: id }, options),
  )
  const version = content.data?.content_version
  const template = useAnswer(
    [name, 'template', version?.template_id],
    (options) => console.getEmailTemplate({ template_id: version?.template_id ?? '' }, options),
    { enabled: version !== undefined },
  )
  if (!version) return content.error ? '–' : '…'
  return (
    <PageLink to={`/templates/${version.template_id}?version=${id}`}>
      {template.data
        ? `${template.data.email_template.name}, version ${version.version}`
        : `Version ${version.version}`}
    </PageLink>
  )
}
