const storageKey = 'lettergate-workspace'

/** Remembers the workspace of the user in this browser. */
export const keepWorkspace = (name: string): void => localStorage.setItem(storageKey, name)

/** The remembered workspace if the user still belongs to it, else the first one that is not archived. */
export function lastWorkspace(
  memberships: readonly { organization: string; workspace: string; is_archived: boolean }[],
): string | undefined {
  const names = memberships
    .toSorted((one, other) => Number(one.is_archived) - Number(other.is_archived))
    .map(({ organization, workspace }) => `${organization}/${workspace}`)
  const kept = localStorage.getItem(storageKey)
  return names.find((name) => name === kept) ?? names[0]
}

const returnKey = 'lettergate-return'

export const signInPath = '/console/auth/sign-in'

/** Keeps the address of the page over the sign-in, which always returns to the start of the console. */
export function signInAndReturn(): void {
  sessionStorage.setItem(returnKey, location.pathname + location.search)
  location.assign(signInPath)
}

/** The address from before the sign-in, once. */
export function takeReturnAddress(): string | null {
  const kept = sessionStorage.getItem(returnKey)
  sessionStorage.removeItem(returnKey)
  return kept !== null && kept.startsWith('/console/') ? kept : null
}
