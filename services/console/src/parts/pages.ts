/** The pages of a workspace by group; the paths are below its address. */
export const pagesOfWorkspace: [group: string, pages: [path: string, title: string][]][] = [
  ['', [['', 'Home']]],
  [
    'Email',
    [
      ['/campaigns', 'Campaigns'],
      ['/runs', 'Runs'],
      ['/automations', 'Automations'],
      ['/templates', 'Templates'],
    ],
  ],
  [
    'People',
    [
      ['/contacts', 'Contacts'],
      ['/audiences', 'Audiences'],
      ['/tags', 'Tags and fields'],
      ['/suppressions', 'Suppressions'],
      ['/imports', 'Imports'],
      ['/sources', 'Sources'],
    ],
  ],
  [
    'Set up',
    [
      ['/sending', 'Sending'],
      ['/testing', 'Test and rehearse'],
      ['/provider-events', 'Provider events'],
      ['/webhook', 'Campaign webhook'],
      ['/team', 'Team'],
    ],
  ],
]

/** The pages of the administrators of the platform. */
export const pagesOfPlatform: [path: string, title: string][] = [
  ['/platform/alerts', 'Alerts'],
  ['/platform/gates', 'Gates'],
  ['/platform/audit-log', 'Audit log'],
  ['/platform/dead-letters', 'Dead letters'],
  ['/platform/suppressions', 'Platform suppressions'],
]

const titles = new Map([...pagesOfWorkspace.flatMap(([, pages]) => pages), ...pagesOfPlatform])

/** A page with its title, to link to it from everywhere: a message in a corner is outside of the workspace that it is about. */
export function pageFromHere(path: string): { to: string; title: string } {
  const workspace = /^\/console\/w\/[^/]+\/[^/]+/.exec(location.pathname)?.[0] ?? '/console'
  return { to: `~${path.startsWith('/platform') ? '/console' : workspace}${path}`, title: titles.get(path)! }
}
