/** What campaigns-delivery answers about an email that it has no result for. */
export const deliveryModes = [
  'accepts',
  'accepts',
  'skips',
  'fails',
  'is not sure',
  'waits',
  'is under way',
  'is down',
] as const
export type DeliveryMode = (typeof deliveryModes)[number]
