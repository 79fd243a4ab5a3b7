"""The kinds of places that an address can lead to, and what patches can do at each.

overlay.py ─▶ reading.py ─▶ a place of its kind ─▶ base.py
order, trace   address       is it there, verbs      what all share
"""
