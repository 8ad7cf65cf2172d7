import { useSenders } from '../../session/use-lists.ts'

/** The input that chooses who an email is from. */
export function useSenderField() {
  const senders = useSenders()
  return {
    kind: 'choice',
    label: 'Sender',
    read: senders,
    choices: (senders.data?.sender_identities ?? []).map((one) => ({
      value: one.id,
      label: `${one.display_name} <${one.from_address}>`,
    })),
  } as const
}
