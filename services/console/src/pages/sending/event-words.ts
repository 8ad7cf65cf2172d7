import type { ListedProviderEvent } from '@lettergate/client/console'

const words: Record<ListedProviderEvent['event'], string> = {
  accepted: 'Accepted by the provider',
  delivered: 'Delivered',
  failed: 'Not delivered yet',
  opened: 'Opened',
  clicked: 'A link was clicked',
  unsubscribed: 'Unsubscribed',
  complained: 'Marked as spam',
}

/** What an event of the provider reports; a permanent failure is another thing than one that is tried again. */
export const eventInWords = ({ event, severity }: Pick<ListedProviderEvent, 'event' | 'severity'>): string =>
  event === 'failed' && severity === 'permanent' ? 'Not delivered, and not tried again' : words[event]
