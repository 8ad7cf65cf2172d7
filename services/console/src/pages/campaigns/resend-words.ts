import type { CampaignReportResponse } from '@lettergate/client'
import type { CampaignRunUnknownResponse } from '@lettergate/client/console'
import { counted } from '../../parts/words.ts'
import { holdOf } from './held-words.ts'
import { isLive } from './live-run.ts'

/** What the newest resend of a run does or did. */
function stateInWords({ campaign_run: { state }, report }: CampaignReportResponse): string {
  const run = 'The newest run that sends them again'
  switch (state) {
    case 'scheduled':
      return `${run} is scheduled, and begins by itself.`
    case 'paused':
      return report.paused_by ? `${run} paused itself.` : `${run} is paused.`
    case 'sending':
      return report.held_by ? `${run} is held: ${holdOf(report.held_by).what}.` : `${run} is sending.`
    case 'completed':
      return `${run} has ended.`
    case 'failed':
      return `${run} failed.`
    case 'cancelled':
    case 'unscheduled':
      return `${run} was cancelled.`
  }
}

function progressInWords({ campaign_run: run, report: { sent, unknown } }: CampaignReportResponse): string {
  const again = unknown > 0 ? `, and ${unknown.toLocaleString('en')} are unknown in it too` : ''
  return sent === 0 && unknown === 0
    ? `It sent nothing${isLive(run.state) ? ' yet' : ''}.`
    : `It sent ${sent.toLocaleString('en')} of ${counted(run.included_count, 'email')}${again}.`
}

/** Whether recipients of a resend that ended wait to be given free. Until then the numbers count them as reached. */
const hasLeftovers = ({ campaign_run: run, report: { sent, unknown, skipped, failed } }: CampaignReportResponse) =>
  sent + unknown + skipped + failed < run.included_count

/** What all resends reached, when none of them is under way. An email that is unknown again may have reached its recipient. */
function reachedInWords({ resendable, resent }: CampaignRunUnknownResponse, unknownAgain: number): string {
  if (resent === 0) return 'None of them was sent again yet.'
  if (unknownAgain > 0)
    return `${counted(unknownAgain, 'email')} of it ${unknownAgain === 1 ? 'is' : 'are'} unknown too, and can be sent again on its page.`
  return resendable === 0 ? 'They were sent again.' : 'Some of them were sent again.'
}

/**
 * Tells what became of the unknown of a run since they were sent again: what the newest resend does, and what it reached. A resend that
 * waits or was cancelled may have reached nobody. `numbers` are undefined until they are read.
 */
export function resendInWords(newest: CampaignReportResponse, numbers: CampaignRunUnknownResponse | undefined): string {
  const state = stateInWords(newest)
  if (isLive(newest.campaign_run.state) || hasLeftovers(newest)) return `${state} ${progressInWords(newest)}`
  return numbers ? `${state} ${reachedInWords(numbers, newest.report.unknown)}` : state
}
