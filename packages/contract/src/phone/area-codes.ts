/**
 * Every area code of the North American Numbering Plan in use, with its kind and region.
 *
 * The table is our own for speed: a batch looks up each of 10,000 recipients. An array index beats
 * a general phone library's tens of microseconds. The test beside it compares the table with such a
 * library, so a code opened or closed there fails the build here.
 */

export type AreaCodeKind = "geographic" | "toll_free" | "premium" | "personal" | "other";

export interface AreaCode {
  readonly code: string;
  /** ISO 3166 country. The US territories have country US and their own code as the region. */
  readonly country: string;
  /** Two-letter state, province or territory; null for a non-geographic code. */
  readonly region: string | null;
  readonly kind: AreaCodeKind;
}

/** US territories, which carriers price and register separately. */
export const US_TERRITORIES: ReadonlyMap<string, string> = new Map([
  ["AS", "American Samoa"],
  ["GU", "Guam"],
  ["MP", "the Northern Mariana Islands"],
  ["PR", "Puerto Rico"],
  ["VI", "the US Virgin Islands"],
]);

const US_REGIONS: Readonly<Record<string, string>> = {
  AK: "907",
  AL: "205 251 256 334 659 938",
  AR: "327 479 501 870",
  AS: "684",
  AZ: "480 520 602 623 928",
  CA: "209 213 279 310 323 341 350 369 408 415 424 442 510 530 559 562 619 626 628 650 657 661 669 707 714 738 747 760 805 818 820 831 840 858 909 916 925 949 951",
  CO: "303 719 720 748 970 983",
  CT: "203 475 860 959",
  DC: "202 771",
  DE: "302",
  FL: "239 305 321 324 352 386 407 448 561 645 656 689 727 728 754 772 786 813 850 863 904 941 954",
  GA: "229 404 470 478 678 706 762 770 912 943",
  GU: "671",
  HI: "808",
  IA: "319 515 563 641 712",
  ID: "208 986",
  IL: "217 224 309 312 331 447 464 618 630 708 730 773 779 815 847 872",
  IN: "219 260 317 463 574 765 812 930",
  KS: "316 620 785 913",
  KY: "270 364 502 606 859",
  LA: "225 318 337 504 985",
  MA: "339 351 413 508 617 774 781 857 978",
  MD: "227 240 301 410 443 667",
  ME: "207",
  MI: "231 248 269 313 517 586 616 734 810 906 947 989",
  MN: "218 320 507 612 651 763 952",
  MO: "235 314 417 557 573 636 660 816 975",
  MP: "670",
  MS: "228 601 662 769",
  MT: "406",
  NC: "252 336 472 704 743 828 910 919 980 984",
  ND: "701",
  NE: "308 402 531",
  NH: "603",
  NJ: "201 551 609 640 732 848 856 862 908 973",
  NM: "505 575",
  NV: "702 725 775",
  NY: "212 315 329 332 347 363 516 518 585 607 631 646 680 716 718 838 845 914 917 929 934",
  OH: "216 220 234 283 326 330 380 419 440 513 567 614 740 937",
  OK: "405 539 572 580 918",
  OR: "458 503 541 971",
  PA: "215 223 267 272 412 445 484 570 582 610 717 724 814 835 878",
  PR: "787 939",
  RI: "401",
  SC: "803 821 839 843 854 864",
  SD: "605",
  TN: "423 615 629 731 865 901 931",
  TX: "210 214 254 281 325 346 361 409 430 432 469 512 682 713 726 737 806 817 830 832 903 915 936 940 945 956 972 979",
  UT: "385 435 801",
  VA: "276 434 540 571 686 703 757 804 826 948",
  VI: "340",
  VT: "802",
  WA: "206 253 360 425 509 564",
  WI: "262 274 353 414 534 608 715 920",
  WV: "304 681",
  WY: "307",
};

/** Two codes span provinces and are listed under the more populous one: 902/782 also serve PE, 867 also YT and NU. */
const CANADA_REGIONS: Readonly<Record<string, string>> = {
  AB: "368 403 587 780 825",
  BC: "236 250 257 604 672 778",
  MB: "204 431 584",
  NB: "428 506",
  NL: "709 879",
  NS: "782 902",
  NT: "867",
  ON: "226 249 289 343 365 382 416 437 519 548 613 647 683 705 742 753 807 905 942",
  QC: "263 273 354 367 418 438 450 468 514 579 581 819 873",
  SK: "306 474 639",
};

/** Other countries that share +1. A message there costs many times one to the US. */
const OTHER_COUNTRIES: Readonly<Record<string, string>> = {
  AG: "268",
  AI: "264",
  BB: "246",
  BM: "441",
  BS: "242",
  DM: "767",
  DO: "809 829 849",
  GD: "473",
  JM: "658 876",
  KN: "869",
  KY: "345",
  LC: "758",
  MS: "664",
  SX: "721",
  TC: "649",
  TT: "868",
  VC: "784",
  VG: "284",
};

const NON_GEOGRAPHIC: readonly (readonly [country: string, kind: AreaCodeKind, codes: string])[] = [
  ["US", "toll_free", "800 833 844 855 866 877 888"],
  ["US", "premium", "900"],
  ["US", "personal", "500 521 522 523 524 525 526 527 528 529 532 533 544 566 577 588"],
  ["CA", "personal", "622 633"],
  // 600 reaches Canadian satellite and data services, 700 a long-distance company's own, 710 the US government's.
  ["CA", "other", "600"],
  ["US", "other", "700 710"],
];

const byNumber: (AreaCode | undefined)[] = new Array(1000).fill(undefined);

function add(codes: string, country: string, region: string | null, kind: AreaCodeKind): void {
  for (const code of codes.split(" ")) {
    if (byNumber[Number(code)]) throw new Error(`Area code ${code} is in the table twice.`);
    byNumber[Number(code)] = { code, country, region, kind };
  }
}

for (const [region, codes] of Object.entries(US_REGIONS)) add(codes, "US", region, "geographic");
for (const [region, codes] of Object.entries(CANADA_REGIONS))
  add(codes, "CA", region, "geographic");
for (const [country, codes] of Object.entries(OTHER_COUNTRIES)) {
  add(codes, country, null, "geographic");
}
for (const [country, kind, codes] of NON_GEOGRAPHIC) add(codes, country, null, kind);

/** All codes in ascending order. */
export const AREA_CODES: readonly AreaCode[] = byNumber.filter((entry) => entry !== undefined);

/** Entry of a three-digit area code; undefined when unused. */
export function findAreaCode(code: string): AreaCode | undefined {
  return code.length === 3 ? byNumber[Number(code)] : undefined;
}

/** Entry by number (415), for callers that have parsed the digits. */
export function areaCodeByNumber(code: number): AreaCode | undefined {
  return byNumber[code];
}
