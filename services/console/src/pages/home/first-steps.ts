export interface FirstStep {
  title: string
  isDone: boolean
  /** the page where it is done */
  at: string
}

/** What a new workspace needs until its first campaign, in this order. */
export interface FirstStepFacts {
  hasActiveConnection: boolean
  hasReadyDomain: boolean
  hasEnabledSender: boolean
  isSendingActive: boolean
  hasAudience: boolean
  hasMembers: boolean
  hasContent: boolean
  hasCampaign: boolean
}

/** The steps with their pages. */
export const firstStepsOf = (facts: FirstStepFacts): FirstStep[] => [
  { title: 'Create an audience', isDone: facts.hasAudience, at: '/audiences' },
  { title: 'Get people into it: import a file, or connect a sign-up form', isDone: facts.hasMembers, at: '/imports' },
  { title: 'Connect the mail provider', isDone: facts.hasActiveConnection, at: '/sending' },
  { title: 'Make a sending domain ready', isDone: facts.hasReadyDomain, at: '/sending' },
  { title: 'Enable a sender', isDone: facts.hasEnabledSender, at: '/sending' },
  {
    title: 'Write an email as a template',
    isDone: facts.hasContent,
    at: '/templates',
  },
  { title: 'Activate sending for the workspace', isDone: facts.isSendingActive, at: '/sending' },
  { title: 'Write the first campaign, and test it', isDone: facts.hasCampaign, at: '/campaigns/new' },
]
