import { useAudiences } from './use-lists.ts'

/** The names of audiences by their ids; `find` is undefined for one that was deleted, and until the list is read. */
export function useAudienceNames() {
  const read = useAudiences()
  const find = (id: string) => read.data?.audiences.find((one) => one.id === id)?.name
  const unread = read.error ? '–' : '…'
  return { read, find, nameOf: (id: string) => find(id) ?? (read.data ? 'A deleted audience' : unread) }
}
