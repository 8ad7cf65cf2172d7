/** For a part of the page that goes away with the focus. */
export function focusTitleOfPage(): void {
  const title = document.querySelector<HTMLElement>('h1')
  if (!title) return
  title.tabIndex = -1
  title.focus({ preventScroll: true })
}
