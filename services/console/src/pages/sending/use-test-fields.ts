import { useAnswer } from '../../session/use-answer.ts'
import { useSenders } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** The inputs of a test email: a sender, the newest content of a template, and an address. */
export function useTestFields() {
  const { name, console } = useWorkspace()
  const senders = useSenders()
  const templates = useAnswer([name, 'newest-content'], async (options) => {
    const listed = await console.listEmailTemplates({ limit: 100 }, options)
    if (!listed.ok) return listed
    const inUse = listed.data.email_templates.filter((one) => !one.archived && one.content_versions > 0).slice(0, 20)
    const newest = await Promise.all(
      inUse.map(async ({ id, name: title }) => {
        const answer = await console.getEmailTemplate({ template_id: id, limit: 1 }, options)
        const version = answer.ok ? answer.data.content_versions[0] : undefined
        return version ? [{ value: version.id, label: `${title}, version ${version.version}` }] : []
      }),
    )
    return { ...listed, data: newest.flat() }
  })
  return {
    sender: {
      kind: 'choice',
      label: 'Sender',
      choices: (senders.data?.sender_identities ?? []).map((one) => ({
        value: one.id,
        label: `${one.display_name} <${one.from_address}>`,
      })),
    },
    content: { kind: 'choice', label: 'Content', choices: templates.data ?? [] },
    recipient: { kind: 'text', label: 'Address', about: 'It must be on the list of the deployment.' },
  } as const
}
