/** The parts of a text of the service: the moments in it are at the odd places. */
export const splitAtMoments = (text: string): string[] => text.split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/)
