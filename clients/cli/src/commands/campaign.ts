import type { CampaignReport, CampaignRun } from '@lettergate/client'
import type { Command } from 'commander'
import { exits, UsageError } from '../exit.ts'
import { bar } from '../progress.ts'
import { inWords } from '../reasons.ts'
import type { Session, WatchLimits } from '../session.ts'
import { fields } from '../table.ts'

interface DraftOptions {
  name: string
  audience: string
  sender: string
  content: string
  notes?: string
}
interface Progress {
  campaign_run: CampaignRun
  report: CampaignReport
}

const ended: readonly string[] = ['completed', 'unscheduled', 'cancelled', 'failed']
const actions = { pause: 'hold a run', resume: 'continue a paused run', cancel: 'end a run for ever' } as const

/** The messages of a run that have an end: sent, skipped, failed or unknown. */
const settled = ({ sent, skipped, failed, unknown }: CampaignReport) => sent + skipped + failed + unknown

const lineOf = ({ campaign_run: run, report }: Progress) => {
  const held = report.held_by === null ? '' : `, held by ${report.held_by}`
  return `${bar(settled(report), run.included_count)}  ${run.state}${held}`
}

function reportText({ campaign_run: run, report }: Progress): string {
  const { events, skip_reasons, paused_by: _, ...numbers } = report
  const excluded = Object.entries(run.exclusion_counts).map(
    ([reason, count]) => `  ${count} ${reason}: ${inWords(reason)}\n`,
  )
  return (
    fields({
      run: run.id,
      state: run.state,
      included: run.included_count,
      excluded: run.excluded_count,
      ...numbers,
      events,
      skip_reasons,
    }) + (excluded.length === 0 ? '' : `Excluded, each under every reason:\n${excluded.join('')}`)
  )
}

const runText = ({ campaign_run: run }: { campaign_run: CampaignRun }) => fields({ ...run })

/** `2026-12-01T09:00:00+01:00`, or `+90m`, `+2h` and `+3d` from now. */
export function momentOf(at: string, now: number): string {
  const [, count, unit] = /^\+(\d+)([mhd])$/.exec(at) ?? []
  if (count !== undefined)
    return new Date(now + Number(count) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 'm']).toISOString()
  if (!/(Z|[+-]\d\d:\d\d)$/.test(at) || Number.isNaN(Date.parse(at)))
    throw new UsageError(`“${at}” is no moment. Write one with a time zone, such as 2026-12-01T09:00:00+01:00, or +2h.`)
  return at
}

/** `campaign`: draft, schedule, watch, report, and the controls of a run. */
export function addCampaign(program: Command, session: Session): void {
  const campaign = program.command('campaign').description('drafts of campaigns, their runs and reports')
  campaign
    .command('draft')
    .description('draft a campaign; nothing is scheduled')
    .requiredOption('--name <name>')
    .requiredOption('--audience <id>')
    .requiredOption('--sender <id>', 'a sender identity')
    .requiredOption('--content <id>', 'a content version')
    .option('--notes <text>')
    .action(async ({ name, audience, sender, content, notes }: DraftOptions) => {
      const body = {
        name,
        audience_id: audience,
        sender_identity_id: sender,
        content_version_id: content,
        notes,
      }
      const data = await session.data(session.workspace().createCampaignDraft({ body }))
      session.show(
        data,
        ({ campaign: made }) => `Drafted ${made.id}.\nNext: lettergate campaign schedule ${made.id} --at +1h\n`,
      )
    })
  campaign
    .command('schedule <campaign-id>')
    .description('schedule a draft: real email to every eligible member of its audience')
    .requiredOption('--at <moment>', 'such as 2026-12-01T09:00:00+01:00, or +2h from now')
    .option('--key <key>', 'the idempotency key; made from the campaign and the moment when absent')
    .option('--confirm <phrase>', 'SEND TO REAL PEOPLE, for scripts')
    .addHelpText(
      'after',
      `
Refused unless every gate is open; the refusal names what is missing, and \`lettergate preflight\` shows it before.
Repeating the command with the same moment returns the first run: nothing is sent twice.`,
    )
    .action(async (campaign_id: string, options: { at: string; key?: string; confirm?: string }) => {
      const scheduled_for = momentOf(options.at, Date.now())
      await session.confirm(options.confirm, 'SEND TO REAL PEOPLE', '--confirm')
      const idempotency_key = options.key ?? `lettergate-cli ${campaign_id} ${scheduled_for}`
      const answer = session.workspace().scheduleCampaign({ campaign_id, body: { scheduled_for }, idempotency_key })
      session.show(
        await session.data(answer),
        (data) => `${runText(data)}Next: lettergate campaign watch ${data.campaign_run.id}\n`,
      )
    })
  const read = (run_id: string) => session.data(session.workspace().getCampaignRunReport({ run_id }))
  campaign
    .command('watch <run-id>')
    .description('show a run live until it has ended')
    .option('--every <seconds>', 'how often to read', '2')
    .option('--timeout <seconds>', 'when to stop watching; the exit status is then 4', '86400')
    .action(async (run_id: string, limits: WatchLimits) => {
      const last = await session.watch(
        () => read(run_id),
        lineOf,
        ({ campaign_run: { state } }) => ended.includes(state),
        limits,
      )
      if (['failed', 'cancelled', 'unscheduled'].includes(last.campaign_run.state)) session.exit = exits.no
      session.show(last, reportText)
    })
  campaign
    .command('report <run-id>')
    .description('show the report of a run')
    .action(async (run_id: string) => session.show(await read(run_id), reportText))
  campaign
    .command('unschedule <run-id>')
    .description('take back a run that has not started')
    .action(async (run_id: string) =>
      session.show(await session.data(session.workspace().unscheduleCampaignRun({ run_id })), runText),
    )
  for (const action of ['pause', 'resume', 'cancel'] as const) {
    campaign
      .command(`${action} <run-id>`)
      .description(actions[action])
      .action(async (run_id: string) =>
        session.show(await session.data(session.workspace().controlCampaignRun({ run_id, action })), runText),
      )
  }
}
