/** Who can do a step: an owner or administrator of the platform, or roles of the workspace. */
export type Doer = 'platform' | 'owner' | 'administrators' | 'authors'

export interface FirstStep {
  title: string
  isDone: boolean
  /** the page where it is done */
  at: string
  by: Doer
  /** what holds or is done before it */
  before?: string
}

/** What a new workspace needs until its first campaign is scheduled, in this order. */
export interface FirstStepFacts {
  hasActiveConnection: boolean
  hasReadyDomain: boolean
  hasAudience: boolean
  hasMembers: boolean
  hasContent: boolean
  isGateOpen: boolean
  hasEnabledSender: boolean
  hasTestSend: boolean
  isSendingActive: boolean
  hasCampaign: boolean
  hasRun: boolean
}

/**
 * The steps with their pages. Each one needs those before it, or is not possible after those that follow: a file is imported
 * while nothing can send. `hasReviews`: an import left consents that a person has to decide about.
 */
export const firstStepsOf = (facts: FirstStepFacts, hasReviews = false): FirstStep[] => [
  {
    title: 'Connect the mail provider',
    isDone: facts.hasActiveConnection,
    at: '/sending',
    by: 'administrators',
    before: 'The operators of the deployment put the credential into the environment of the service first.',
  },
  { title: 'Make a sending domain ready', isDone: facts.hasReadyDomain, at: '/sending', by: 'administrators' },
  { title: 'Create an audience', isDone: facts.hasAudience, at: '/audiences', by: 'authors' },
  {
    title: 'Get people into it: import a file, or connect a sign-up form',
    isDone: facts.hasMembers,
    at: '/imports',
    by: 'authors',
    before:
      'A file can be approved only while nothing can send, so before the gate below is open; a sign-up form works any time.' +
      (hasReviews
        ? ' An import left consents under review: open each contact, and subscribe it if its consent is right.'
        : ''),
  },
  { title: 'Write an email as a template', isDone: facts.hasContent, at: '/templates', by: 'authors' },
  {
    title: 'Open the platform gate for production sending',
    isDone: facts.isGateOpen,
    at: '~/console/platform/gates',
    by: 'platform',
  },
  { title: 'Enable a sender', isDone: facts.hasEnabledSender, at: '/sending', by: 'owner' },
  {
    title: 'Send yourself a test',
    isDone: facts.hasTestSend,
    at: '/testing',
    by: 'authors',
    before:
      'An owner or administrator of the platform opens the gate for test sends, and the operators of the deployment allow your address.',
  },
  { title: 'Activate sending for the workspace', isDone: facts.isSendingActive, at: '/sending', by: 'owner' },
  { title: 'Write the first campaign', isDone: facts.hasCampaign, at: '/campaigns/new', by: 'authors' },
  { title: 'Schedule it', isDone: facts.hasRun, at: '/campaigns', by: 'authors' },
]

export const doersInWords: Record<Doer, string> = {
  platform: 'An owner or administrator of the platform does this.',
  owner: 'An owner of the workspace does this.',
  administrators: 'An owner or brand admin of the workspace does this.',
  authors: 'An owner, brand admin or editor of the workspace does this.',
}
