/** The states of a run that a caller can see. */
export type RunState = 'scheduled' | 'sending' | 'paused' | 'completed' | 'unscheduled' | 'cancelled' | 'failed'

/** The status of a campaign, which follows its latest run. */
export type CampaignStatus = 'draft' | 'scheduled' | 'sending' | 'sent' | 'cancelled'

const next: Record<RunState, readonly RunState[]> = {
  scheduled: ['sending', 'unscheduled', 'paused', 'cancelled'],
  sending: ['completed', 'paused', 'cancelled', 'failed'],
  paused: ['scheduled', 'sending', 'cancelled'],
  completed: [],
  unscheduled: [],
  cancelled: [],
  failed: [],
}

/** Whether a run may go from one state to another. Nothing leaves a final state. */
export const mayBecome = (from: RunState, to: RunState): boolean => next[from].includes(to)

const statusOf: Record<RunState, CampaignStatus> = {
  scheduled: 'scheduled',
  sending: 'sending',
  paused: 'sending',
  completed: 'sent',
  unscheduled: 'draft',
  cancelled: 'cancelled',
  failed: 'cancelled',
}

/** What the campaign shows while its latest run is in this state. */
export const campaignStatusFor = (state: RunState): CampaignStatus => statusOf[state]
