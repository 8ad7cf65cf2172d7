import type { CampaignRun } from '@lettergate/client'

/** Whether a run goes on, or may go on. */
export const isLive = (state: CampaignRun['state']): boolean => ['scheduled', 'sending', 'paused'].includes(state)
