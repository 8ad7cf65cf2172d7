import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import type { Import, ImportMappingRequest } from '@lettergate/client'
import type { Command } from 'commander'
import { exits, UsageError } from '../exit.ts'
import { printable } from '../printable.ts'
import { bar } from '../progress.ts'
import type { Session, WatchLimits } from '../session.ts'
import { columns, fields } from '../table.ts'

interface MapOptions {
  column: string[]
  policy: ImportMappingRequest['consent_policy']
  status?: string[]
  basis?: string
  consentSource?: string
  wording?: string
  evidence?: string
  profile?: string
}

const flow = [
  'uploaded',
  'dry_run_queued',
  'dry_run_running',
  'ready_for_review',
  'apply_queued',
  'applying',
  'completed',
]
const ended: readonly string[] = ['completed', 'failed', 'cancelled', 'expired']

const textOf = ({ import: job }: { import: Import }) =>
  fields({
    id: job.id,
    status: job.status,
    file: job.filename,
    source: job.source_label,
    audience_id: job.audience_id,
    headers: job.headers,
    mapping: job.mapping,
    consent_policy: job.consent_policy,
    ...job.policy,
    ...job.report,
    report_checksum: job.report_checksum,
    error: job.error,
  })

/** `Email=email` as one entry of a mapping. */
function pairsOf(given: readonly string[], option: string): Record<string, string> {
  const pairs = given.map((pair) => {
    const at = pair.lastIndexOf('=')
    if (at <= 0) throw new UsageError(`“${pair}” is no pair. Write ${option} "First name=first_name".`)
    return [pair.slice(0, at), pair.slice(at + 1)]
  })
  return Object.fromEntries(pairs) as Record<string, string>
}

/** `import`: upload, map, watch, approve, and the other steps of a CSV import. */
export function addImport(program: Command, session: Session): void {
  const imports = program
    .command('import')
    .description('protected imports of CSV files: upload, map, watch the dry run, approve, watch')
    .addHelpText(
      'after',
      `
A whole import:
  lettergate import upload people.csv --audience ID --label "CRM export"
  lettergate import map ID --column Email=email --column State=status --policy status_column --status active=subscribed
  lettergate import watch ID             until the dry run is ready for review; it writes nothing
  lettergate import approve ID           shows the report and asks for the exact phrase
  lettergate import watch ID             until it is applied and the file is destroyed`,
    )
  const read = async (job_id: string) => session.data(session.workspace().getImport({ job_id }))

  imports
    .command('list')
    .description('list the imports, newest first')
    .action(async () => {
      const data = await session.data(session.workspace().listImports())
      session.show(data, (found) =>
        columns(found.imports.map((job) => [job.id, job.status, job.filename, job.created_at])),
      )
    })
  imports
    .command('show <id>')
    .description('show an import with its report')
    .action(async (id: string) => session.show(await read(id), textOf))
  imports
    .command('upload <file>')
    .description('upload a CSV file; it is stored encrypted, and nothing is imported yet')
    .requiredOption('--audience <id>', 'the audience of the rows')
    .requiredOption('--label <text>', 'where the file comes from')
    .option('--encoding <label>', 'such as windows-1252; UTF-8 when absent')
    .action(async (path: string, options: { audience: string; label: string; encoding?: string }) => {
      const file = await openFile(path)
      const body = { file, audience_id: options.audience, source_label: options.label, encoding: options.encoding }
      if (!session.isJson()) session.terminal.err(`Uploading ${file.size.toLocaleString('en')} bytes …\n`)
      const data = await session.data(session.workspace().uploadImport({ body }, { timeoutMs: 3_600_000 }))
      session.show(data, (found) => `${textOf(found)}Next: lettergate import map ${found.import.id} --column …\n`)
    })
  imports
    .command('map <id>')
    .description('map the columns and queue a dry run, as often as you like')
    .option('--column <pairs...>', 'header=target, such as "First name=first_name"', [])
    .requiredOption('--policy <policy>', 'review_required, explicit_opt_in or status_column')
    .option('--status <pairs...>', 'cell=status for status_column, such as active=subscribed')
    .option('--basis <text>', 'for explicit_opt_in: the basis of the consent')
    .option('--consent-source <text>', 'for explicit_opt_in: where the consent was given')
    .option('--wording <version>', 'for explicit_opt_in: the version of the wording')
    .option('--evidence <reference>', 'where the evidence of the consent is')
    .option('--profile <id>', 'a saved or built-in profile')
    .action(async (job_id: string, options: MapOptions) => {
      const policy = {
        consent_basis: options.basis,
        consent_source: options.consentSource,
        wording_version: options.wording,
        evidence_reference: options.evidence,
        status_values: options.status && pairsOf(options.status, '--status'),
      }
      const body = {
        mapping: pairsOf(options.column, '--column'),
        consent_policy: options.policy,
        policy,
        profile_id: options.profile,
      }
      session.show(await session.data(session.workspace().mapImport({ job_id, body })), (found) => {
        return `${textOf(found)}Next: lettergate import watch ${found.import.id}\n`
      })
    })
  imports
    .command('watch <id>')
    .description('show the progress until the import waits for you or has ended')
    .option('--every <seconds>', 'how often to read', '1')
    .option('--timeout <seconds>', 'when to stop watching; the exit status is then 4', '3600')
    .action(async (id: string, limits: WatchLimits) => {
      const line = ({ import: job }: { import: Import }) =>
        `${bar(Math.max(0, flow.indexOf(job.status)), flow.length - 1).replace(/ {2}\d+ of \d+$/, '')}  ${job.status}`
      const isFinal = ({ import: { status } }: { import: Import }) =>
        ended.includes(status) || status === 'ready_for_review' || status === 'uploaded'
      const last = await session.watch(() => read(id), line, isFinal, limits)
      if (['failed', 'cancelled', 'expired'].includes(last.import.status)) session.exit = exits.no
      session.show(last, textOf)
    })
  imports
    .command('approve <id>')
    .description('approve the report that the import has now, and apply it')
    .option('--confirm <phrase>', 'the phrase that the command asks for, for scripts')
    .option('--report-checksum <checksum>', 'refuse when the import has another report than this one')
    .action(async (job_id: string, options: { confirm?: string; reportChecksum?: string }) => {
      const shown = await read(job_id)
      if (!session.isJson()) session.terminal.err(await approvalText(session, shown))
      const phrase = `APPLY CSV IMPORT ${shown.import.id} TO ${session.workspaceName()}`
      await session.confirm(options.confirm, phrase, '--confirm')
      const report_checksum = options.reportChecksum ?? shown.import.report_checksum
      const answer = session.workspace().approveImport({ job_id, body: { confirmation: phrase, report_checksum } })
      session.show(
        await session.data(answer),
        ({ import: job }) => `Approved. Next: lettergate import watch ${job.id}\n`,
      )
    })
  imports
    .command('retry <id>')
    .description('continue a failed import')
    .action(async (job_id: string) =>
      session.show(await session.data(session.workspace().retryImport({ job_id })), textOf),
    )
  imports
    .command('cancel <id>')
    .description('cancel an import and destroy its file, for ever')
    .option('--confirm <phrase>', 'CANCEL, for scripts')
    .action(async (job_id: string, options: { confirm?: string }) => {
      await session.confirm(options.confirm, 'CANCEL', '--confirm')
      session.show(await session.data(session.workspace().cancelImport({ job_id })), textOf)
    })
}

/** The report, and what its approval does. */
async function approvalText(session: Session, shown: { import: Import }): Promise<string> {
  const { audience_id } = shown.import
  const { audience } = await session.data(session.workspace().getAudience({ audience_id }))
  return printable(
    `${textOf(shown)}
To the audience “${audience.name}”. Approving this report writes its contacts and consents.
The record of consent cannot be changed later. The service refuses it while anything can send.
`,
  )
}

async function openFile(path: string): Promise<File> {
  try {
    return new File([await openAsBlob(path, { type: 'text/csv' })], basename(path), { type: 'text/csv' })
  } catch {
    throw new UsageError(`${path} cannot be read.`)
  }
}
