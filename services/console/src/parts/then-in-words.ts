import type { CampaignRunRecipient } from '@lettergate/client/console'

/** What the person did with an email: “opened, clicked”, or a dash. */
export const thenInWords = (
  row: Pick<CampaignRunRecipient, 'opened_at' | 'clicked_at' | 'complained_at' | 'unsubscribed_at'>,
): string =>
  (
    [
      ['opened', row.opened_at],
      ['clicked', row.clicked_at],
      ['complained', row.complained_at],
      ['unsubscribed', row.unsubscribed_at],
    ] as const
  )
    .filter(([, at]) => at !== null)
    .map(([what]) => what)
    .join(', ') || '–'
