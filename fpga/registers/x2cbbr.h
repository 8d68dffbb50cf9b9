// Written by python -m tools.genregs; change hdl/contract/registers.py instead.
#ifndef X2CBBR_H
#define X2CBBR_H

#ifdef __cplusplus
extern "C" {
#endif
#include <stdint.h>
#include <assert.h>

// reg - x2cbbr::id
#define X2CBBR__ID__VALUE_bm 0xffffffff
#define X2CBBR__ID__VALUE_bp 0
#define X2CBBR__ID__VALUE_bw 32

// reg - x2cbbr::version
#define X2CBBR__VERSION__CONTRACT_bm 0xffff
#define X2CBBR__VERSION__CONTRACT_bp 0
#define X2CBBR__VERSION__CONTRACT_bw 16

// reg - x2cbbr::control
#define X2CBBR__CONTROL__CLEAR_bm 0x1
#define X2CBBR__CONTROL__CLEAR_bp 0
#define X2CBBR__CONTROL__CLEAR_bw 1
#define X2CBBR__CONTROL__RESET_bm 0x2
#define X2CBBR__CONTROL__RESET_bp 1
#define X2CBBR__CONTROL__RESET_bw 1

// reg - x2cbbr::status
#define X2CBBR__STATUS__RESULT_bm 0x1
#define X2CBBR__STATUS__RESULT_bp 0
#define X2CBBR__STATUS__RESULT_bw 1
#define X2CBBR__STATUS__VERDICT_bm 0x2
#define X2CBBR__STATUS__VERDICT_bp 1
#define X2CBBR__STATUS__VERDICT_bw 1
#define X2CBBR__STATUS__NOTIFICATION_bm 0x4
#define X2CBBR__STATUS__NOTIFICATION_bp 2
#define X2CBBR__STATUS__NOTIFICATION_bw 1
#define X2CBBR__STATUS__FULL_bm 0x8
#define X2CBBR__STATUS__FULL_bp 3
#define X2CBBR__STATUS__FULL_bw 1
#define X2CBBR__STATUS__HCD_bm 0x10
#define X2CBBR__STATUS__HCD_bp 4
#define X2CBBR__STATUS__HCD_bw 1
#define X2CBBR__STATUS__INTERRUPT_bm 0x20
#define X2CBBR__STATUS__INTERRUPT_bp 5
#define X2CBBR__STATUS__INTERRUPT_bw 1

// reg - x2cbbr::interrupt
#define X2CBBR__INTERRUPT__RESULT_bm 0x1
#define X2CBBR__INTERRUPT__RESULT_bp 0
#define X2CBBR__INTERRUPT__RESULT_bw 1
#define X2CBBR__INTERRUPT__VERDICT_bm 0x2
#define X2CBBR__INTERRUPT__VERDICT_bp 1
#define X2CBBR__INTERRUPT__VERDICT_bw 1
#define X2CBBR__INTERRUPT__NOTIFICATION_bm 0x4
#define X2CBBR__INTERRUPT__NOTIFICATION_bp 2
#define X2CBBR__INTERRUPT__NOTIFICATION_bw 1
#define X2CBBR__INTERRUPT__CLEARED_bm 0x8
#define X2CBBR__INTERRUPT__CLEARED_bp 3
#define X2CBBR__INTERRUPT__CLEARED_bw 1
#define X2CBBR__INTERRUPT__ERROR_bm 0x10
#define X2CBBR__INTERRUPT__ERROR_bp 4
#define X2CBBR__INTERRUPT__ERROR_bw 1

// reg - x2cbbr::interrupt_enable
#define X2CBBR__INTERRUPT_ENABLE__RESULT_bm 0x1
#define X2CBBR__INTERRUPT_ENABLE__RESULT_bp 0
#define X2CBBR__INTERRUPT_ENABLE__RESULT_bw 1
#define X2CBBR__INTERRUPT_ENABLE__VERDICT_bm 0x2
#define X2CBBR__INTERRUPT_ENABLE__VERDICT_bp 1
#define X2CBBR__INTERRUPT_ENABLE__VERDICT_bw 1
#define X2CBBR__INTERRUPT_ENABLE__NOTIFICATION_bm 0x4
#define X2CBBR__INTERRUPT_ENABLE__NOTIFICATION_bp 2
#define X2CBBR__INTERRUPT_ENABLE__NOTIFICATION_bw 1
#define X2CBBR__INTERRUPT_ENABLE__CLEARED_bm 0x8
#define X2CBBR__INTERRUPT_ENABLE__CLEARED_bp 3
#define X2CBBR__INTERRUPT_ENABLE__CLEARED_bw 1
#define X2CBBR__INTERRUPT_ENABLE__ERROR_bm 0x10
#define X2CBBR__INTERRUPT_ENABLE__ERROR_bp 4
#define X2CBBR__INTERRUPT_ENABLE__ERROR_bw 1

// reg - x2cbbr::error
#define X2CBBR__ERROR__CAUSE_bm 0xf
#define X2CBBR__ERROR__CAUSE_bp 0
#define X2CBBR__ERROR__CAUSE_bw 4
#define X2CBBR__ERROR__WRITE_bm 0x10
#define X2CBBR__ERROR__WRITE_bp 4
#define X2CBBR__ERROR__WRITE_bw 1
#define X2CBBR__ERROR__ADDRESS_bm 0x1fff0000
#define X2CBBR__ERROR__ADDRESS_bp 16
#define X2CBBR__ERROR__ADDRESS_bw 13

// reg - x2cbbr::errors
#define X2CBBR__ERRORS__VALUE_bm 0xffffffff
#define X2CBBR__ERRORS__VALUE_bp 0
#define X2CBBR__ERRORS__VALUE_bw 32

// reg - x2cbbr::scratch
#define X2CBBR__SCRATCH__VALUE_bm 0xffffffff
#define X2CBBR__SCRATCH__VALUE_bp 0
#define X2CBBR__SCRATCH__VALUE_bw 32

// reg - x2cbbr::config_subscriptions
#define X2CBBR__CONFIG_SUBSCRIPTIONS__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_SUBSCRIPTIONS__VALUE_bp 0
#define X2CBBR__CONFIG_SUBSCRIPTIONS__VALUE_bw 32

// reg - x2cbbr::config_steps
#define X2CBBR__CONFIG_STEPS__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_STEPS__VALUE_bp 0
#define X2CBBR__CONFIG_STEPS__VALUE_bw 32

// reg - x2cbbr::config_slices
#define X2CBBR__CONFIG_SLICES__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_SLICES__VALUE_bp 0
#define X2CBBR__CONFIG_SLICES__VALUE_bw 32

// reg - x2cbbr::config_names
#define X2CBBR__CONFIG_NAMES__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_NAMES__VALUE_bp 0
#define X2CBBR__CONFIG_NAMES__VALUE_bw 32

// reg - x2cbbr::config_learned
#define X2CBBR__CONFIG_LEARNED__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_LEARNED__VALUE_bp 0
#define X2CBBR__CONFIG_LEARNED__VALUE_bw 32

// reg - x2cbbr::config_values
#define X2CBBR__CONFIG_VALUES__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_VALUES__VALUE_bp 0
#define X2CBBR__CONFIG_VALUES__VALUE_bw 32

// reg - x2cbbr::config_numbers
#define X2CBBR__CONFIG_NUMBERS__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_NUMBERS__VALUE_bp 0
#define X2CBBR__CONFIG_NUMBERS__VALUE_bw 32

// reg - x2cbbr::config_name_bytes
#define X2CBBR__CONFIG_NAME_BYTES__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_NAME_BYTES__VALUE_bp 0
#define X2CBBR__CONFIG_NAME_BYTES__VALUE_bw 32

// reg - x2cbbr::config_value_bytes
#define X2CBBR__CONFIG_VALUE_BYTES__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_VALUE_BYTES__VALUE_bp 0
#define X2CBBR__CONFIG_VALUE_BYTES__VALUE_bw 32

// reg - x2cbbr::config_depth
#define X2CBBR__CONFIG_DEPTH__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_DEPTH__VALUE_bp 0
#define X2CBBR__CONFIG_DEPTH__VALUE_bw 32

// reg - x2cbbr::config_attributes
#define X2CBBR__CONFIG_ATTRIBUTES__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_ATTRIBUTES__VALUE_bp 0
#define X2CBBR__CONFIG_ATTRIBUTES__VALUE_bw 32

// reg - x2cbbr::config_prefixes
#define X2CBBR__CONFIG_PREFIXES__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_PREFIXES__VALUE_bp 0
#define X2CBBR__CONFIG_PREFIXES__VALUE_bw 32

// reg - x2cbbr::config_subscription_steps
#define X2CBBR__CONFIG_SUBSCRIPTION_STEPS__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_SUBSCRIPTION_STEPS__VALUE_bp 0
#define X2CBBR__CONFIG_SUBSCRIPTION_STEPS__VALUE_bw 32

// reg - x2cbbr::config_xpath_bytes
#define X2CBBR__CONFIG_XPATH_BYTES__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_XPATH_BYTES__VALUE_bp 0
#define X2CBBR__CONFIG_XPATH_BYTES__VALUE_bw 32

// reg - x2cbbr::config_digits
#define X2CBBR__CONFIG_DIGITS__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_DIGITS__VALUE_bp 0
#define X2CBBR__CONFIG_DIGITS__VALUE_bw 32

// reg - x2cbbr::config_links
#define X2CBBR__CONFIG_LINKS__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_LINKS__VALUE_bp 0
#define X2CBBR__CONFIG_LINKS__VALUE_bw 32

// reg - x2cbbr::config_brokers
#define X2CBBR__CONFIG_BROKERS__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_BROKERS__VALUE_bp 0
#define X2CBBR__CONFIG_BROKERS__VALUE_bw 32

// reg - x2cbbr::config_xram_bytes
#define X2CBBR__CONFIG_XRAM_BYTES__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_XRAM_BYTES__VALUE_bp 0
#define X2CBBR__CONFIG_XRAM_BYTES__VALUE_bw 32

// reg - x2cbbr::config_pram_words
#define X2CBBR__CONFIG_PRAM_WORDS__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_PRAM_WORDS__VALUE_bp 0
#define X2CBBR__CONFIG_PRAM_WORDS__VALUE_bw 32

// reg - x2cbbr::config_selected
#define X2CBBR__CONFIG_SELECTED__VALUE_bm 0xffffffff
#define X2CBBR__CONFIG_SELECTED__VALUE_bp 0
#define X2CBBR__CONFIG_SELECTED__VALUE_bw 32

// reg - x2cbbr::clocks
#define X2CBBR__CLOCKS__VALUE_bm 0xffffffff
#define X2CBBR__CLOCKS__VALUE_bp 0
#define X2CBBR__CLOCKS__VALUE_bw 32

// reg - x2cbbr::registered
#define X2CBBR__REGISTERED__VALUE_bm 0xffffffff
#define X2CBBR__REGISTERED__VALUE_bp 0
#define X2CBBR__REGISTERED__VALUE_bw 32

// reg - x2cbbr::steps_used
#define X2CBBR__STEPS_USED__VALUE_bm 0xffffffff
#define X2CBBR__STEPS_USED__VALUE_bp 0
#define X2CBBR__STEPS_USED__VALUE_bw 32

// reg - x2cbbr::accepted
#define X2CBBR__ACCEPTED__VALUE_bm 0xffffffff
#define X2CBBR__ACCEPTED__VALUE_bp 0
#define X2CBBR__ACCEPTED__VALUE_bw 32

// reg - x2cbbr::cancelled
#define X2CBBR__CANCELLED__VALUE_bm 0xffffffff
#define X2CBBR__CANCELLED__VALUE_bp 0
#define X2CBBR__CANCELLED__VALUE_bw 32

// reg - x2cbbr::refused
#define X2CBBR__REFUSED__VALUE_bm 0xffffffff
#define X2CBBR__REFUSED__VALUE_bp 0
#define X2CBBR__REFUSED__VALUE_bw 32

// reg - x2cbbr::dropped
#define X2CBBR__DROPPED__VALUE_bm 0xffffffff
#define X2CBBR__DROPPED__VALUE_bp 0
#define X2CBBR__DROPPED__VALUE_bw 32

// reg - x2cbbr::verdicts
#define X2CBBR__VERDICTS__VALUE_bm 0xffffffff
#define X2CBBR__VERDICTS__VALUE_bp 0
#define X2CBBR__VERDICTS__VALUE_bw 32

// reg - x2cbbr::forgotten
#define X2CBBR__FORGOTTEN__VALUE_bm 0xffffffff
#define X2CBBR__FORGOTTEN__VALUE_bp 0
#define X2CBBR__FORGOTTEN__VALUE_bw 32

// reg - x2cbbr::without_content
#define X2CBBR__WITHOUT_CONTENT__VALUE_bm 0xffffffff
#define X2CBBR__WITHOUT_CONTENT__VALUE_bp 0
#define X2CBBR__WITHOUT_CONTENT__VALUE_bw 32

// reg - x2cbbr::pinned
#define X2CBBR__PINNED__VALUE_bm 0xffffffff
#define X2CBBR__PINNED__VALUE_bp 0
#define X2CBBR__PINNED__VALUE_bw 32

// reg - x2cbbr::unpinned
#define X2CBBR__UNPINNED__VALUE_bm 0xffffffff
#define X2CBBR__UNPINNED__VALUE_bp 0
#define X2CBBR__UNPINNED__VALUE_bw 32

// reg - x2cbbr::segments
#define X2CBBR__SEGMENTS__VALUE_bm 0xffffffff
#define X2CBBR__SEGMENTS__VALUE_bp 0
#define X2CBBR__SEGMENTS__VALUE_bw 32

// reg - x2cbbr::damaged
#define X2CBBR__DAMAGED__VALUE_bm 0xffffffff
#define X2CBBR__DAMAGED__VALUE_bp 0
#define X2CBBR__DAMAGED__VALUE_bw 32

// reg - x2cbbr::repeated
#define X2CBBR__REPEATED__VALUE_bm 0xffffffff
#define X2CBBR__REPEATED__VALUE_bp 0
#define X2CBBR__REPEATED__VALUE_bw 32

// reg - x2cbbr::misfits
#define X2CBBR__MISFITS__VALUE_bm 0xffffffff
#define X2CBBR__MISFITS__VALUE_bp 0
#define X2CBBR__MISFITS__VALUE_bw 32

// reg - x2cbbr::forwarded_subscriptions
#define X2CBBR__FORWARDED_SUBSCRIPTIONS__VALUE_bm 0xffffffff
#define X2CBBR__FORWARDED_SUBSCRIPTIONS__VALUE_bp 0
#define X2CBBR__FORWARDED_SUBSCRIPTIONS__VALUE_bw 32

// reg - x2cbbr::forwarded_notifications
#define X2CBBR__FORWARDED_NOTIFICATIONS__VALUE_bm 0xffffffff
#define X2CBBR__FORWARDED_NOTIFICATIONS__VALUE_bp 0
#define X2CBBR__FORWARDED_NOTIFICATIONS__VALUE_bw 32

// reg - x2cbbr::routed_publications
#define X2CBBR__ROUTED_PUBLICATIONS__VALUE_bm 0xffffffff
#define X2CBBR__ROUTED_PUBLICATIONS__VALUE_bp 0
#define X2CBBR__ROUTED_PUBLICATIONS__VALUE_bw 32

// reg - x2cbbr::sampled
#define X2CBBR__SAMPLED__VALUE_bm 0xffffffff
#define X2CBBR__SAMPLED__VALUE_bp 0
#define X2CBBR__SAMPLED__VALUE_bw 32

// reg - x2cbbr::no_route
#define X2CBBR__NO_ROUTE__VALUE_bm 0xffffffff
#define X2CBBR__NO_ROUTE__VALUE_bp 0
#define X2CBBR__NO_ROUTE__VALUE_bw 32

// reg - x2cbbr::path_full
#define X2CBBR__PATH_FULL__VALUE_bm 0xffffffff
#define X2CBBR__PATH_FULL__VALUE_bp 0
#define X2CBBR__PATH_FULL__VALUE_bw 32

// reg - x2cbbr::loops
#define X2CBBR__LOOPS__VALUE_bm 0xffffffff
#define X2CBBR__LOOPS__VALUE_bp 0
#define X2CBBR__LOOPS__VALUE_bw 32

// reg - x2cbbr::duplicates
#define X2CBBR__DUPLICATES__VALUE_bm 0xffffffff
#define X2CBBR__DUPLICATES__VALUE_bp 0
#define X2CBBR__DUPLICATES__VALUE_bw 32

// reg - x2cbbr::hop_limited
#define X2CBBR__HOP_LIMITED__VALUE_bm 0xffffffff
#define X2CBBR__HOP_LIMITED__VALUE_bp 0
#define X2CBBR__HOP_LIMITED__VALUE_bw 32

// reg - x2cbbr::misrouted
#define X2CBBR__MISROUTED__VALUE_bm 0xffffffff
#define X2CBBR__MISROUTED__VALUE_bp 0
#define X2CBBR__MISROUTED__VALUE_bw 32

// reg - x2cbbr::expired
#define X2CBBR__EXPIRED__VALUE_bm 0xffffffff
#define X2CBBR__EXPIRED__VALUE_bp 0
#define X2CBBR__EXPIRED__VALUE_bw 32

// reg - x2cbbr::lost
#define X2CBBR__LOST__VALUE_bm 0xffffffff
#define X2CBBR__LOST__VALUE_bp 0
#define X2CBBR__LOST__VALUE_bw 32

// reg - x2cbbr::neighbour_refusals
#define X2CBBR__NEIGHBOUR_REFUSALS__VALUE_bm 0xffffffff
#define X2CBBR__NEIGHBOUR_REFUSALS__VALUE_bp 0
#define X2CBBR__NEIGHBOUR_REFUSALS__VALUE_bw 32

// reg - x2cbbr::oversized
#define X2CBBR__OVERSIZED__VALUE_bm 0xffffffff
#define X2CBBR__OVERSIZED__VALUE_bp 0
#define X2CBBR__OVERSIZED__VALUE_bw 32

// reg - x2cbbr::attachments_dropped
#define X2CBBR__ATTACHMENTS_DROPPED__VALUE_bm 0xffffffff
#define X2CBBR__ATTACHMENTS_DROPPED__VALUE_bp 0
#define X2CBBR__ATTACHMENTS_DROPPED__VALUE_bw 32

// reg - x2cbbr::notified
#define X2CBBR__NOTIFIED__VALUE_bm 0xffffffff
#define X2CBBR__NOTIFIED__VALUE_bp 0
#define X2CBBR__NOTIFIED__VALUE_bw 32

// reg - x2cbbr::publication_state
#define X2CBBR__PUBLICATION_STATE__ROOM_bm 0xffff
#define X2CBBR__PUBLICATION_STATE__ROOM_bp 0
#define X2CBBR__PUBLICATION_STATE__ROOM_bw 16

// reg - x2cbbr::publication_data
#define X2CBBR__PUBLICATION_DATA__VALUE_bm 0xffffffff
#define X2CBBR__PUBLICATION_DATA__VALUE_bp 0
#define X2CBBR__PUBLICATION_DATA__VALUE_bw 32

// reg - x2cbbr::publication_end0
#define X2CBBR__PUBLICATION_END0__VALUE_bm 0xffffffff
#define X2CBBR__PUBLICATION_END0__VALUE_bp 0
#define X2CBBR__PUBLICATION_END0__VALUE_bw 32

// reg - x2cbbr::publication_end1
#define X2CBBR__PUBLICATION_END1__VALUE_bm 0xffffffff
#define X2CBBR__PUBLICATION_END1__VALUE_bp 0
#define X2CBBR__PUBLICATION_END1__VALUE_bw 32

// reg - x2cbbr::publication_end2
#define X2CBBR__PUBLICATION_END2__VALUE_bm 0xffffffff
#define X2CBBR__PUBLICATION_END2__VALUE_bp 0
#define X2CBBR__PUBLICATION_END2__VALUE_bw 32

// reg - x2cbbr::publication_end3
#define X2CBBR__PUBLICATION_END3__VALUE_bm 0xffffffff
#define X2CBBR__PUBLICATION_END3__VALUE_bp 0
#define X2CBBR__PUBLICATION_END3__VALUE_bw 32

// reg - x2cbbr::publication_end4
#define X2CBBR__PUBLICATION_END4__VALUE_bm 0xffffffff
#define X2CBBR__PUBLICATION_END4__VALUE_bp 0
#define X2CBBR__PUBLICATION_END4__VALUE_bw 32

// reg - x2cbbr::subscription_state
#define X2CBBR__SUBSCRIPTION_STATE__ROOM_bm 0xffff
#define X2CBBR__SUBSCRIPTION_STATE__ROOM_bp 0
#define X2CBBR__SUBSCRIPTION_STATE__ROOM_bw 16

// reg - x2cbbr::subscription_data
#define X2CBBR__SUBSCRIPTION_DATA__VALUE_bm 0xffffffff
#define X2CBBR__SUBSCRIPTION_DATA__VALUE_bp 0
#define X2CBBR__SUBSCRIPTION_DATA__VALUE_bw 32

// reg - x2cbbr::subscription_end0
#define X2CBBR__SUBSCRIPTION_END0__VALUE_bm 0xffffffff
#define X2CBBR__SUBSCRIPTION_END0__VALUE_bp 0
#define X2CBBR__SUBSCRIPTION_END0__VALUE_bw 32

// reg - x2cbbr::subscription_end1
#define X2CBBR__SUBSCRIPTION_END1__VALUE_bm 0xffffffff
#define X2CBBR__SUBSCRIPTION_END1__VALUE_bp 0
#define X2CBBR__SUBSCRIPTION_END1__VALUE_bw 32

// reg - x2cbbr::subscription_end2
#define X2CBBR__SUBSCRIPTION_END2__VALUE_bm 0xffffffff
#define X2CBBR__SUBSCRIPTION_END2__VALUE_bp 0
#define X2CBBR__SUBSCRIPTION_END2__VALUE_bw 32

// reg - x2cbbr::subscription_end3
#define X2CBBR__SUBSCRIPTION_END3__VALUE_bm 0xffffffff
#define X2CBBR__SUBSCRIPTION_END3__VALUE_bp 0
#define X2CBBR__SUBSCRIPTION_END3__VALUE_bw 32

// reg - x2cbbr::subscription_end4
#define X2CBBR__SUBSCRIPTION_END4__VALUE_bm 0xffffffff
#define X2CBBR__SUBSCRIPTION_END4__VALUE_bp 0
#define X2CBBR__SUBSCRIPTION_END4__VALUE_bw 32

// reg - x2cbbr::skeleton_state
#define X2CBBR__SKELETON_STATE__ROOM_bm 0xffff
#define X2CBBR__SKELETON_STATE__ROOM_bp 0
#define X2CBBR__SKELETON_STATE__ROOM_bw 16

// reg - x2cbbr::skeleton_data
#define X2CBBR__SKELETON_DATA__VALUE_bm 0xffffffff
#define X2CBBR__SKELETON_DATA__VALUE_bp 0
#define X2CBBR__SKELETON_DATA__VALUE_bw 32

// reg - x2cbbr::skeleton_end0
#define X2CBBR__SKELETON_END0__VALUE_bm 0xffffffff
#define X2CBBR__SKELETON_END0__VALUE_bp 0
#define X2CBBR__SKELETON_END0__VALUE_bw 32

// reg - x2cbbr::skeleton_end1
#define X2CBBR__SKELETON_END1__VALUE_bm 0xffffffff
#define X2CBBR__SKELETON_END1__VALUE_bp 0
#define X2CBBR__SKELETON_END1__VALUE_bw 32

// reg - x2cbbr::skeleton_end2
#define X2CBBR__SKELETON_END2__VALUE_bm 0xffffffff
#define X2CBBR__SKELETON_END2__VALUE_bp 0
#define X2CBBR__SKELETON_END2__VALUE_bw 32

// reg - x2cbbr::skeleton_end3
#define X2CBBR__SKELETON_END3__VALUE_bm 0xffffffff
#define X2CBBR__SKELETON_END3__VALUE_bp 0
#define X2CBBR__SKELETON_END3__VALUE_bw 32

// reg - x2cbbr::skeleton_end4
#define X2CBBR__SKELETON_END4__VALUE_bm 0xffffffff
#define X2CBBR__SKELETON_END4__VALUE_bp 0
#define X2CBBR__SKELETON_END4__VALUE_bw 32

// reg - x2cbbr::result_state
#define X2CBBR__RESULT_STATE__VALID_bm 0x1
#define X2CBBR__RESULT_STATE__VALID_bp 0
#define X2CBBR__RESULT_STATE__VALID_bw 1
#define X2CBBR__RESULT_STATE__LAST_bm 0x2
#define X2CBBR__RESULT_STATE__LAST_bp 1
#define X2CBBR__RESULT_STATE__LAST_bw 1
#define X2CBBR__RESULT_STATE__COUNT_bm 0x1c
#define X2CBBR__RESULT_STATE__COUNT_bp 2
#define X2CBBR__RESULT_STATE__COUNT_bw 3

// reg - x2cbbr::result_data
#define X2CBBR__RESULT_DATA__VALUE_bm 0xffffffff
#define X2CBBR__RESULT_DATA__VALUE_bp 0
#define X2CBBR__RESULT_DATA__VALUE_bw 32

// reg - x2cbbr::verdict_state
#define X2CBBR__VERDICT_STATE__VALID_bm 0x1
#define X2CBBR__VERDICT_STATE__VALID_bp 0
#define X2CBBR__VERDICT_STATE__VALID_bw 1
#define X2CBBR__VERDICT_STATE__LAST_bm 0x2
#define X2CBBR__VERDICT_STATE__LAST_bp 1
#define X2CBBR__VERDICT_STATE__LAST_bw 1
#define X2CBBR__VERDICT_STATE__COUNT_bm 0x1c
#define X2CBBR__VERDICT_STATE__COUNT_bp 2
#define X2CBBR__VERDICT_STATE__COUNT_bw 3

// reg - x2cbbr::verdict_data
#define X2CBBR__VERDICT_DATA__VALUE_bm 0xffffffff
#define X2CBBR__VERDICT_DATA__VALUE_bp 0
#define X2CBBR__VERDICT_DATA__VALUE_bw 32

// reg - x2cbbr::notification_state
#define X2CBBR__NOTIFICATION_STATE__VALID_bm 0x1
#define X2CBBR__NOTIFICATION_STATE__VALID_bp 0
#define X2CBBR__NOTIFICATION_STATE__VALID_bw 1
#define X2CBBR__NOTIFICATION_STATE__LAST_bm 0x2
#define X2CBBR__NOTIFICATION_STATE__LAST_bp 1
#define X2CBBR__NOTIFICATION_STATE__LAST_bw 1
#define X2CBBR__NOTIFICATION_STATE__COUNT_bm 0x1c
#define X2CBBR__NOTIFICATION_STATE__COUNT_bp 2
#define X2CBBR__NOTIFICATION_STATE__COUNT_bw 3

// reg - x2cbbr::notification_data
#define X2CBBR__NOTIFICATION_DATA__VALUE_bm 0xffffffff
#define X2CBBR__NOTIFICATION_DATA__VALUE_bp 0
#define X2CBBR__NOTIFICATION_DATA__VALUE_bw 32

// reg - x2cbbr::broker
#define X2CBBR__BROKER__BID_bm 0xff
#define X2CBBR__BROKER__BID_bp 0
#define X2CBBR__BROKER__BID_bw 8
#define X2CBBR__BROKER__BITS_bm 0xf00
#define X2CBBR__BROKER__BITS_bp 8
#define X2CBBR__BROKER__BITS_bw 4
#define X2CBBR__BROKER__UNIQUE_bm 0x1000
#define X2CBBR__BROKER__UNIQUE_bp 12
#define X2CBBR__BROKER__UNIQUE_bw 1

// reg - x2cbbr::policy
#define X2CBBR__POLICY__POLICY_bm 0x1
#define X2CBBR__POLICY__POLICY_bp 0
#define X2CBBR__POLICY__POLICY_bw 1
#define X2CBBR__POLICY__SAMPLING_bm 0x2
#define X2CBBR__POLICY__SAMPLING_bp 1
#define X2CBBR__POLICY__SAMPLING_bw 1
#define X2CBBR__POLICY__COVERING_bm 0x4
#define X2CBBR__POLICY__COVERING_bp 2
#define X2CBBR__POLICY__COVERING_bw 1

// reg - x2cbbr::hop_limit
#define X2CBBR__HOP_LIMIT__VALUE_bm 0xff
#define X2CBBR__HOP_LIMIT__VALUE_bp 0
#define X2CBBR__HOP_LIMIT__VALUE_bw 8

// reg - x2cbbr::sample_threshold
#define X2CBBR__SAMPLE_THRESHOLD__VALUE_bm 0xffff
#define X2CBBR__SAMPLE_THRESHOLD__VALUE_bp 0
#define X2CBBR__SAMPLE_THRESHOLD__VALUE_bw 16

// reg - x2cbbr::publications_most
#define X2CBBR__PUBLICATIONS_MOST__VALUE_bm 0xffff
#define X2CBBR__PUBLICATIONS_MOST__VALUE_bp 0
#define X2CBBR__PUBLICATIONS_MOST__VALUE_bw 16

// reg - x2cbbr::retained
#define X2CBBR__RETAINED__VALUE_bm 0xffff
#define X2CBBR__RETAINED__VALUE_bp 0
#define X2CBBR__RETAINED__VALUE_bw 16

// reg - x2cbbr::cycle_timeout
#define X2CBBR__CYCLE_TIMEOUT__VALUE_bm 0xffffffff
#define X2CBBR__CYCLE_TIMEOUT__VALUE_bp 0
#define X2CBBR__CYCLE_TIMEOUT__VALUE_bw 32

// reg - x2cbbr::gather
#define X2CBBR__GATHER__VALUE_bm 0xffffffff
#define X2CBBR__GATHER__VALUE_bp 0
#define X2CBBR__GATHER__VALUE_bw 32

// reg - x2cbbr::sample_lifetime
#define X2CBBR__SAMPLE_LIFETIME__VALUE_bm 0xffffffff
#define X2CBBR__SAMPLE_LIFETIME__VALUE_bp 0
#define X2CBBR__SAMPLE_LIFETIME__VALUE_bw 32

// reg - x2cbbr::link_patience
#define X2CBBR__LINK_PATIENCE__VALUE_bm 0xffffffff
#define X2CBBR__LINK_PATIENCE__VALUE_bp 0
#define X2CBBR__LINK_PATIENCE__VALUE_bw 32

// reg - x2cbbr::hello_period
#define X2CBBR__HELLO_PERIOD__VALUE_bm 0xffffffff
#define X2CBBR__HELLO_PERIOD__VALUE_bp 0
#define X2CBBR__HELLO_PERIOD__VALUE_bw 32

// reg - x2cbbr::hello_patience
#define X2CBBR__HELLO_PATIENCE__VALUE_bm 0xffffffff
#define X2CBBR__HELLO_PATIENCE__VALUE_bp 0
#define X2CBBR__HELLO_PATIENCE__VALUE_bw 32

// reg - x2cbbr::lease_unit
#define X2CBBR__LEASE_UNIT__VALUE_bm 0xffffffff
#define X2CBBR__LEASE_UNIT__VALUE_bp 0
#define X2CBBR__LEASE_UNIT__VALUE_bw 32

// reg - x2cbbr::mode
#define X2CBBR__MODE__MODE_bm 0x7
#define X2CBBR__MODE__MODE_bp 0
#define X2CBBR__MODE__MODE_bw 3
#define X2CBBR__MODE__TIMEOUT_bm 0x8
#define X2CBBR__MODE__TIMEOUT_bp 3
#define X2CBBR__MODE__TIMEOUT_bw 1
#define X2CBBR__MODE__ROUTE_END_bm 0x10
#define X2CBBR__MODE__ROUTE_END_bp 4
#define X2CBBR__MODE__ROUTE_END_bw 1
#define X2CBBR__MODE__CLEAR_END_bm 0x20
#define X2CBBR__MODE__CLEAR_END_bp 5
#define X2CBBR__MODE__CLEAR_END_bw 1
#define X2CBBR__MODE__HCD_bm 0x40
#define X2CBBR__MODE__HCD_bp 6
#define X2CBBR__MODE__HCD_bw 1

// reg - x2cbbr::cycle_subscriptions
#define X2CBBR__CYCLE_SUBSCRIPTIONS__VALUE_bm 0xffffffff
#define X2CBBR__CYCLE_SUBSCRIPTIONS__VALUE_bp 0
#define X2CBBR__CYCLE_SUBSCRIPTIONS__VALUE_bw 32

// reg - x2cbbr::cycle_subscriptions_most
#define X2CBBR__CYCLE_SUBSCRIPTIONS_MOST__VALUE_bm 0xffffffff
#define X2CBBR__CYCLE_SUBSCRIPTIONS_MOST__VALUE_bp 0
#define X2CBBR__CYCLE_SUBSCRIPTIONS_MOST__VALUE_bw 32

// reg - x2cbbr::cycle_waiting
#define X2CBBR__CYCLE_WAITING__VALUE_bm 0xffffffff
#define X2CBBR__CYCLE_WAITING__VALUE_bp 0
#define X2CBBR__CYCLE_WAITING__VALUE_bw 32

// reg - x2cbbr::cycle_matched
#define X2CBBR__CYCLE_MATCHED__VALUE_bm 0xffffffff
#define X2CBBR__CYCLE_MATCHED__VALUE_bp 0
#define X2CBBR__CYCLE_MATCHED__VALUE_bw 32

// reg - x2cbbr::cycle_unmatched
#define X2CBBR__CYCLE_UNMATCHED__VALUE_bm 0xffffffff
#define X2CBBR__CYCLE_UNMATCHED__VALUE_bp 0
#define X2CBBR__CYCLE_UNMATCHED__VALUE_bw 32

// reg - x2cbbr::cycle_publications
#define X2CBBR__CYCLE_PUBLICATIONS__VALUE_bm 0xffffffff
#define X2CBBR__CYCLE_PUBLICATIONS__VALUE_bp 0
#define X2CBBR__CYCLE_PUBLICATIONS__VALUE_bw 32

// reg - x2cbbr::cycle_publications_most
#define X2CBBR__CYCLE_PUBLICATIONS_MOST__VALUE_bm 0xffffffff
#define X2CBBR__CYCLE_PUBLICATIONS_MOST__VALUE_bp 0
#define X2CBBR__CYCLE_PUBLICATIONS_MOST__VALUE_bw 32

// reg - x2cbbr::history_mode
#define X2CBBR__HISTORY_MODE__MODE_bm 0x7
#define X2CBBR__HISTORY_MODE__MODE_bp 0
#define X2CBBR__HISTORY_MODE__MODE_bw 3

// reg - x2cbbr::history_clock
#define X2CBBR__HISTORY_CLOCK__VALUE_bm 0xffffffff
#define X2CBBR__HISTORY_CLOCK__VALUE_bp 0
#define X2CBBR__HISTORY_CLOCK__VALUE_bw 32

// reg - x2cbbr::neighbour
#define X2CBBR__NEIGHBOUR__BID_bm 0xff
#define X2CBBR__NEIGHBOUR__BID_bp 0
#define X2CBBR__NEIGHBOUR__BID_bw 8
#define X2CBBR__NEIGHBOUR__TREE_bm 0x100
#define X2CBBR__NEIGHBOUR__TREE_bp 8
#define X2CBBR__NEIGHBOUR__TREE_bw 1

// reg - x2cbbr::neighbour_state
#define X2CBBR__NEIGHBOUR_STATE__UP_bm 0x1
#define X2CBBR__NEIGHBOUR_STATE__UP_bp 0
#define X2CBBR__NEIGHBOUR_STATE__UP_bw 1
#define X2CBBR__NEIGHBOUR_STATE__SETTLED_bm 0x2
#define X2CBBR__NEIGHBOUR_STATE__SETTLED_bp 1
#define X2CBBR__NEIGHBOUR_STATE__SETTLED_bw 1

// addrmap - x2cbbr
typedef struct __attribute__ ((__packed__)) {
    uint32_t id;
    uint32_t version;
    uint32_t control;
    uint32_t status;
    uint32_t interrupt;
    uint32_t interrupt_enable;
    uint32_t error;
    uint32_t errors;
    uint32_t scratch;
    uint8_t RESERVED_24_3f[0x1c];
    uint32_t config_subscriptions;
    uint32_t config_steps;
    uint32_t config_slices;
    uint32_t config_names;
    uint32_t config_learned;
    uint32_t config_values;
    uint32_t config_numbers;
    uint32_t config_name_bytes;
    uint32_t config_value_bytes;
    uint32_t config_depth;
    uint32_t config_attributes;
    uint32_t config_prefixes;
    uint32_t config_subscription_steps;
    uint32_t config_xpath_bytes;
    uint32_t config_digits;
    uint32_t config_links;
    uint32_t config_brokers;
    uint32_t config_xram_bytes;
    uint32_t config_pram_words;
    uint32_t config_selected;
    uint8_t RESERVED_90_ff[0x70];
    uint32_t clocks;
    uint32_t registered;
    uint32_t steps_used;
    uint32_t accepted;
    uint32_t cancelled;
    uint32_t refused;
    uint32_t dropped;
    uint32_t verdicts[4];
    uint32_t forgotten;
    uint8_t RESERVED_130_13f[0x10];
    uint32_t without_content;
    uint32_t pinned;
    uint32_t unpinned;
    uint32_t segments;
    uint32_t damaged;
    uint32_t repeated;
    uint32_t misfits;
    uint32_t forwarded_subscriptions;
    uint32_t forwarded_notifications;
    uint32_t routed_publications;
    uint32_t sampled;
    uint32_t no_route;
    uint32_t path_full;
    uint32_t loops;
    uint32_t duplicates;
    uint32_t hop_limited;
    uint32_t misrouted;
    uint32_t expired;
    uint32_t lost;
    uint32_t neighbour_refusals;
    uint32_t oversized;
    uint32_t attachments_dropped;
    uint8_t RESERVED_198_1af[0x18];
    uint32_t notified[16];
    uint8_t RESERVED_1f0_3ff[0x210];
    uint32_t publication_state;
    uint32_t publication_data;
    uint32_t publication_end0;
    uint32_t publication_end1;
    uint32_t publication_end2;
    uint32_t publication_end3;
    uint32_t publication_end4;
    uint8_t RESERVED_41c_43f[0x24];
    uint32_t subscription_state;
    uint32_t subscription_data;
    uint32_t subscription_end0;
    uint32_t subscription_end1;
    uint32_t subscription_end2;
    uint32_t subscription_end3;
    uint32_t subscription_end4;
    uint8_t RESERVED_45c_47f[0x24];
    uint32_t skeleton_state;
    uint32_t skeleton_data;
    uint32_t skeleton_end0;
    uint32_t skeleton_end1;
    uint32_t skeleton_end2;
    uint32_t skeleton_end3;
    uint32_t skeleton_end4;
    uint8_t RESERVED_49c_5ff[0x164];
    uint32_t result_state;
    uint32_t result_data;
    uint32_t verdict_state;
    uint32_t verdict_data;
    uint8_t RESERVED_610_63f[0x30];
    uint32_t notification_state[16];
    uint32_t notification_data[16];
    uint8_t RESERVED_6c0_7ff[0x140];
    uint32_t broker;
    uint32_t policy;
    uint32_t hop_limit;
    uint32_t sample_threshold;
    uint32_t publications_most;
    uint32_t retained;
    uint32_t cycle_timeout;
    uint32_t gather;
    uint32_t sample_lifetime;
    uint32_t link_patience;
    uint32_t hello_period;
    uint32_t hello_patience;
    uint32_t lease_unit;
    uint8_t RESERVED_834_83f[0xc];
    uint32_t mode;
    uint32_t cycle_subscriptions;
    uint32_t cycle_subscriptions_most;
    uint32_t cycle_waiting;
    uint32_t cycle_matched;
    uint32_t cycle_unmatched;
    uint32_t cycle_publications;
    uint32_t cycle_publications_most;
    uint8_t RESERVED_860_87f[0x20];
    uint32_t history_mode[16];
    uint32_t history_clock[16];
    uint32_t neighbour[16];
    uint32_t neighbour_state[16];
} x2cbbr_t;


static_assert(sizeof(x2cbbr_t) == 0x980, "Packing error");

#ifdef __cplusplus
}
#endif

#endif /* X2CBBR_H */
