"""The metadata quorum: KRaft, pull-based Raft, as a pure state machine (KIP-595, 630, 853, 996, 1166)."""
