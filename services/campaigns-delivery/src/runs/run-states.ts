/** The states of a run that a caller can see. */
export type RunState = 'scheduled' | 'sending' | 'paused' | 'completed' | 'unscheduled' | 'cancelled' | 'failed'

/** The status of a campaign, which follows its latest run. */
export const campaignStatuses = ['draft', 'scheduled', 'sending', 'sent', 'cancelled'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

const next: Record<RunState, readonly RunState[]> = {
  scheduled: ['sending', 'unscheduled', 'paused', 'cancelled'],
  sending: ['completed', 'paused', 'cancelled', 'failed'],
  paused: ['scheduled', 'sending', 'cancelled'],
  completed: [],
  unscheduled: [],
  cancelled: [],
  failed: [],
}

/** Whether a run may change from one state to another. Final states cannot change. */
export const mayBecome = (from: RunState, to: RunState): boolean => next[from].includes(to)

const statusOf: Record<Exclude<RunState, 'paused'>, CampaignStatus> = {
  scheduled: 'scheduled',
  sending: 'sending',
  completed: 'sent',
  unscheduled: 'draft',
  cancelled: 'cancelled',
  failed: 'cancelled',
}

/** The status of a campaign whose latest run is in this state. A paused run does not change the status. */
export const campaignStatusFor = (state: Exclude<RunState, 'paused'>): CampaignStatus => statusOf[state]
