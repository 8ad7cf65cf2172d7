import { FileInput, Group, Select, Stack, TextInput, Button } from '@mantine/core'
import { useState } from 'react'
import { AnswerTable } from '../../parts/answer-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageLink } from '../../parts/link.tsx'
import { MomentBy } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { ReadNotices, whileUnread } from '../../parts/read-notices.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { RoleNote } from '../../session/role-note.tsx'
import { useAnswer, useChange } from '../../session/use-answer.ts'
import { useAudiences } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { nextStepOf } from './next-step.ts'
import { useAudienceNames } from '../../session/use-audience-names.ts'

/** Files with contacts: upload one, and see what became of the others. */
export default function ImportsPage() {
  const { name, api, may } = useWorkspace()
  const answer = useAnswer([name, 'imports'], (options) => api.listImports({}, options), { everyMs: 5_000 })
  const { read: audiences, nameOf } = useAudienceNames()
  return (
    <Page
      title="Imports"
      about="A CSV file is read without an effect first. You see what it would do, and only then somebody approves it."
    >
      <RoleNote needs="upsert_contacts" />
      {answer.data && <ReadNotices of={[audiences]} />}
      {may('upsert_contacts') && <Upload />}
      <Section title="Files" about="The newest 1,000." isPlain>
        <AnswerTable
          label="Imports"
          answer={answer}
          rowsOf={(data) => data.imports}
          keyOf={({ id }) => id}
          empty={
            <Empty title="Nothing was imported yet">
              Upload a CSV file whose first row names the columns. Most tools for newsletters export one.
            </Empty>
          }
          columns={[
            { title: 'File', cell: (job) => <PageLink to={`/imports/${job.id}`}>{job.filename}</PageLink> },
            { title: 'Audience', cell: (job) => nameOf(job.audience_id) },
            { title: 'Source', cell: (job) => job.source_label },
            { title: 'State', cell: (job) => <StateBadge state={job.status} /> },
            { title: 'Next', cell: (job) => nextStepOf(job.status) },
            {
              title: 'Uploaded',
              cell: (job) => <MomentBy at={job.created_at} by={job.requested_by_wallet_id} />,
            },
            { title: 'The file itself', cell: (job) => (job.payload_retained ? 'kept, encrypted' : 'destroyed') },
          ]}
        />
      </Section>
    </Page>
  )
}

function Upload() {
  const { api } = useWorkspace()
  const [file, setFile] = useState<File | null>(null)
  const [isOver, setOver] = useState(false)
  const [audience, setAudience] = useState<string | null>(null)
  const [source, setSource] = useState('')
  const audiences = useAudiences()
  const upload = useChange(
    (body: Parameters<typeof api.uploadImport>[0]['body']) => api.uploadImport({ body }, { timeoutMs: 900_000 }),
    undefined,
    {
      done: 'File uploaded',
      notDone: 'File not uploaded',
      goesTo: (answer) => `/imports/${answer.import.id}`,
    },
  )
  const open = audiences.data?.audiences.filter((one) => !one.is_archived)
  return (
    <Section
      title="Upload a file"
      about="Choose it, or drop it here. It is stored encrypted, and destroyed when the import ends or after three days."
    >
      <form
        className="drop"
        data-over={isOver}
        onDragOver={(event) => {
          event.preventDefault() // else the browser would open the file instead of the console
          setOver(true)
        }}
        onDragLeave={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
        }}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          setFile(event.dataTransfer.files[0] ?? file)
        }}
        onSubmit={(event) => {
          event.preventDefault()
          if (!file || !audience) return
          // Some systems call CSV files spreadsheets, or do not know their type.
          const asCsv = new File([file], file.name, { type: 'text/csv' })
          upload.mutate({ file: asCsv, audience_id: audience, source_label: source })
        }}
      >
        <Stack gap="sm">
          <Group align="flex-end" gap="sm">
            <FileInput
              label="CSV file"
              placeholder="Choose a file"
              accept=".csv,text/csv,text/plain"
              value={file}
              onChange={setFile}
              withAsterisk
              miw={220}
            />
            <Select
              label="Audience"
              description={open?.length === 0 ? 'Create an audience first.' : undefined}
              withAsterisk
              searchable
              data={(open ?? []).map((one) => ({ value: one.id, label: one.name }))}
              value={audience}
              onChange={setAudience}
              {...whileUnread(audiences)}
            />
            <TextInput
              label="Where it comes from"
              placeholder="CRM export"
              withAsterisk
              value={source}
              onChange={(event) => setSource(event.currentTarget.value)}
            />
            <Button type="submit" disabled={!file || !audience || source === ''} loading={upload.isPending}>
              Upload
            </Button>
          </Group>
          {upload.error && <ErrorNotice error={upload.error} />}
        </Stack>
      </form>
    </Section>
  )
}
