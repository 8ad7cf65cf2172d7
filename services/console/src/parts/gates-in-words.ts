import type { Gate } from '@lettergate/client/console'

/** Each platform gate, and what it means while it is open and while it is closed. */
export const gatesInWords: Record<Gate['name'], { title: string; open: string; closed: string }> = {
  production_sending_enabled: {
    title: 'Production sending',
    open: 'Workspaces that activated sending can send campaigns and automation emails to people.',
    closed: 'No workspace sends. Runs that are sending wait, and go on when the gate opens.',
  },
  test_sends_enabled: {
    title: 'Test sends',
    open: 'Test emails and rehearsals go to addresses of the allowlist, within the caps.',
    closed: 'Test sends and rehearsals are refused.',
  },
  automation_enabled: {
    title: 'Automations',
    open: 'Published automations enroll contacts and make their steps.',
    closed: 'No automation makes a step, and triggers that fire are lost.',
  },
  synthetic_rehearsals_enabled: {
    title: 'Synthetic rehearsals',
    open: 'Workspaces can rehearse a run with recipients that do not exist.',
    closed: 'Synthetic rehearsals are refused.',
  },
  rate_limit_enabled: {
    title: 'Rate limits',
    open: 'Sign-ins, preference pages and sign-ups are limited for each client.',
    closed: 'These requests are not limited.',
  },
}
