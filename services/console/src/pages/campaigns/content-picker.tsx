import { Group, Select, Text } from '@mantine/core'
import { useState } from 'react'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageLink } from '../../parts/link.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** Chooses a template, and one of its versions. */
export function ContentPicker({ value, onChange }: { value: string; onChange: (contentVersionId: string) => void }) {
  const { name, console } = useWorkspace()
  const [chosen, setChosen] = useState<string | null>(null)
  const templates = useAnswer([name, 'templates'], (options) => console.listEmailTemplates({ limit: 100 }, options))
  const current = useAnswer(
    [name, 'content', value],
    (options) => console.getContentVersion({ content_version_id: value }, options),
    { enabled: value !== '' },
  )
  const templateId = chosen ?? current.data?.content_version.template_id ?? null
  const versions = useAnswer(
    [name, 'template', templateId],
    (options) => console.getEmailTemplate({ template_id: templateId ?? '' }, options),
    { enabled: templateId !== null },
  )
  const error = templates.error ?? versions.error
  const all = templates.data?.email_templates.filter(({ archived, id }) => !archived || id === templateId)
  return (
    <>
      {error && <ErrorNotice error={error} />}
      {all?.length === 0 && (
        <Text size="sm">
          There is no template yet. <PageLink to="/templates">Create one first.</PageLink>
        </Text>
      )}
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <Select
          label="Template"
          withAsterisk
          searchable
          data={(all ?? []).map((template) => ({ value: template.id, label: template.name }))}
          value={templateId}
          onChange={(next) => {
            setChosen(next)
            onChange('')
          }}
          miw={200}
        />
        <Select
          label="Version of the content"
          withAsterisk
          disabled={templateId === null}
          data={(versions.data?.content_versions ?? []).map((version) => ({
            value: version.id,
            label: `${version.version}: ${version.subject}`,
            disabled: !version.valid,
          }))}
          value={value || null}
          onChange={(next) => onChange(next ?? '')}
          miw={200}
        />
      </Group>
    </>
  )
}
